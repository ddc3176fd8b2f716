#include "cotangent/simulation/pi_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr double kSafety = 0.9, kIntegral = 0.7, kProportional = 0.4;
constexpr double kLeast = 0.2, kMost = 5;
constexpr double kSmallError = 1e-4;  // smaller ones are luck, from which nothing follows for the next step
constexpr double kRounding = 100;     // units of it that may be in an estimate

}  // namespace

template <class T>
PiStepper<T>::PiStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
    : VariableStepper<T>(integrator, manifold, options), last_error_(kSmallError) {
  const MethodFacts& facts = integrator.facts();
  if (facts.error_order == 0)
    throw std::invalid_argument(
        fmt::format("the method '{}' does not estimate its errors: double its steps", facts.name));
  integrator.tolerate(this->options_.tolerance);
  if (facts.is_explicit) stiffness_.emplace(manifold, facts.order);
}

template <class T>
void PiStepper<T>::choose(const Point<T>& z) {
  h_ = this->first_length(z, error_order()) / T(this->options_.refinement);
}

// Steps that are K times as short have errors that are smaller by K^k; but none is smaller than rounding permits.
template <class T>
StepReport<T> PiStepper<T>::attempt(const Point<T>& z, T h, Point<T>& end) {
  StepReport<T> report = this->integrator_.step(z, h, end);
  if (this->options_.refinement == 1) return report;
  const T least = T(kRounding) * epsilon<T>() / T(this->options_.tolerance.relative);
  if (report.error > least) report.error *= T(std::pow(this->options_.refinement, error_order()));
  return report;
}

template <class T>
T PiStepper<T>::shorter(const PhasePoint<T>& /*z*/, T h, const StepReport<T>& report) {
  was_rejected_ = true;
  const auto error = static_cast<double>(report.error);
  const bool is_known = report.status == StepStatus::ok && error > 1 && std::isfinite(error);
  const double factor = is_known ? std::max(kLeast, kSafety * std::pow(error, -1.0 / error_order())) : kLeast;
  return T(factor) * h;
}

template <class T>
void PiStepper<T>::accept(const Point<T>& /*begin*/, T h, const StepReport<T>& report, const Point<T>& end) {
  const double error = std::max(static_cast<double>(report.error), kSmallError);
  const double k = error_order();
  double factor = kSafety * std::pow(error, -kIntegral / k) * std::pow(last_error_, kProportional / k);
  factor = std::clamp(factor, kLeast, was_rejected_ ? 1 : kMost);
  h_ = T(factor) * h;
  last_error_ = error;
  was_rejected_ = false;
  if (stiffness_) stiffness_->observe(end, h, this->pending_.rhs);
}

template <class T>
void PiStepper<T>::finish(Summary& summary) const {
  VariableStepper<T>::finish(summary);
  if (stiffness_) stiffness_->finish(summary.warnings);
}

template <class T>
void PiStepper<T>::state(Archive& archive, Point<T>& z, std::int64_t k) {
  VariableStepper<T>::state(archive, z, k);
  archive("next", h_);
  archive("last_error", last_error_);
  archive("was_rejected", was_rejected_);
  if (stiffness_) archive("stiffness", *stiffness_);
}

COTANGENT_INSTANTIATE(PRECISIONS, PiStepper);

}  // namespace cotangent
