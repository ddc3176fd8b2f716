#include "cotangent/simulation/pi_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr double kSafety = 0.9, kIntegral = 0.7, kProportional = 0.4;
constexpr double kLeast = 0.2, kMost = 5;
constexpr double kSmallError = 1e-4;  // smaller ones are luck, from which nothing follows for the next step
constexpr double kRounding = 100;     // units of it that may be in an estimate

}  // namespace

template <class T>
PiStepper<T>::PiStepper(Integrator<T>& integrator, Projector<T>& projector, Manifold<T>& manifold,
                        const AdaptiveOptions& options)
    : VariableStepper<T>(integrator, projector, manifold, options),
      trial_(integrator, this->options_.tolerance, integrator.facts().error_order == 0),
      last_error_(kSmallError) {
  if (integrator.facts().kind.starts_with("explicit")) stiffness_.emplace(manifold, integrator.facts().order);
}

template <class T>
void PiStepper<T>::choose(const PhasePoint<T>& z) {
  h_ = this->first_length(z, trial_.error_order()) / T(this->options_.refinement);
}

// Steps that are K times as short have errors that are smaller by K^k; but none is smaller than rounding permits.
template <class T>
StepReport<T> PiStepper<T>::attempt(PhasePoint<T>& z, T h) {
  StepReport<T> report = trial_(z, h);
  if (this->options_.refinement == 1) return report;
  const T least = T(kRounding) * epsilon<T>() / T(this->options_.tolerance.relative);
  if (report.error > least) report.error *= T(std::pow(this->options_.refinement, trial_.error_order()));
  return report;
}

template <class T>
T PiStepper<T>::shorter(const PhasePoint<T>& /*z*/, T h, const StepReport<T>& report) {
  was_rejected_ = true;
  const auto error = static_cast<double>(report.error);
  const bool is_known = report.status == StepStatus::ok && error > 1 && std::isfinite(error);
  const double factor = is_known ? std::max(kLeast, kSafety * std::pow(error, -1.0 / trial_.error_order())) : kLeast;
  return T(factor) * h;
}

template <class T>
void PiStepper<T>::accept(const PhasePoint<T>& z, T h, const StepReport<T>& report) {
  const double error = std::max(static_cast<double>(report.error), kSmallError);
  const double k = trial_.error_order();
  double factor = kSafety * std::pow(error, -kIntegral / k) * std::pow(last_error_, kProportional / k);
  factor = std::clamp(factor, kLeast, was_rejected_ ? 1 : kMost);
  h_ = T(factor) * h;
  last_error_ = error;
  was_rejected_ = false;
  if (stiffness_) stiffness_->observe(z, h, this->pending_.rhs);
}

template <class T>
void PiStepper<T>::finish(Summary& summary) const {
  VariableStepper<T>::finish(summary);
  if (stiffness_) stiffness_->finish(summary.warnings);
}

template <class T>
void PiStepper<T>::state(Archive& archive, PhasePoint<T>& z, std::int64_t k) {
  VariableStepper<T>::state(archive, z, k);
  archive("next", h_);
  archive("last_error", last_error_);
  archive("was_rejected", was_rejected_);
  if (stiffness_) archive("stiffness", *stiffness_);
}

COTANGENT_INSTANTIATE(PRECISIONS, PiStepper);

}  // namespace cotangent
