#include "cotangent/simulation/pace/step_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/pace/density_control.hpp"
#include "cotangent/simulation/pace/step_noise.hpp"
#include "cotangent/simulation/watch/stiffness.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// Of the step that an error asks for; the weights of the last error and of the one before; how many times as long, or
// as short, a step may be as the one before.
constexpr double kSafety = 0.9, kIntegral = 0.7, kProportional = 0.4, kMost = 5;

// What rounding makes of steps changes slowly, and costs two steps to find: it is found at the start, and after so
// many.
constexpr std::int64_t kNoiseEvery = 64;

/// Steps whose errors, in units of what is tolerated, are to be a little less than one: with an error O(h^k),
///
///   h_{n+1} = 0.9 err_n^(-0.7/k) err_{n-1}^(0.4/k) h_n,
///
/// a proportional-integral controller, which is smoother than one that looks at the last error only; but not more than
/// 5 times as long, and not longer at all after a step that was rejected. Where err > 1, the step is made again
/// with 0.9 err^(-1/k) h. Methods without an estimate of their own are to be doubled: see with_estimate.
///
/// Errors that rounding makes do not count: see StepNoise. Steps would become ever shorter where a motion comes to
/// rest, and momenta with their tolerances fall below the rounding errors of forces.
///
/// Explicit methods are watched: where the system is stiff their steps stay short, whatever the tolerance is.
///
/// Reference: [gustafsson91]; [hw96, IV.2].
template <class T>
class PiControl final : public StepControl<T> {
 public:
  PiControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
      : StepControl<T>(integrator, manifold, options), k_(integrator.facts().error_order), find_noise_(integrator) {
    const MethodFacts& facts = integrator.facts();
    if (k_ == 0)
      throw std::invalid_argument(
          fmt::format("the method '{}' does not estimate its errors: double its steps", facts.name));
    if (facts.is_explicit) stiffness_.emplace(manifold, facts.order);
  }

  ~PiControl() override { this->integrator_.tolerate(this->options_.tolerance); }

  void start(const Point<T>& z) override {
    h_ = this->along(this->first_length(z, k_) / T(this->options_.refinement));
    start_noise(z);
  }

  T propose() override { return h_; }

  // Steps that are K times as short have errors that are smaller by K^k; but none is smaller than rounding permits.
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override {
    tolerate(h);
    StepReport<T> report = this->integrator_.step(z, h, end);
    const T rounding = T(kNearUnits) * epsilon<T>() / T(this->options_.tolerance.relative);
    if (report.error > rounding) report.error *= T(std::pow(this->options_.refinement, k_));
    return report;
  }

  void reject(const PhasePoint<T>& /*z*/, T h, const StepReport<T>& report) override {
    was_rejected_ = true;
    const T error = report.status == StepStatus::ok ? report.error : infinity<T>();
    h_ = T(step_factor(static_cast<double>(error), k_)) * h;
  }

  void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) override {
    if (++accepted_ % kNoiseEvery == 0) {
      noise_ = find_noise_(begin, h, this->uncounted_);
      noise_length_ = h;
    }
    // Smaller errors are luck: they would ask for longer steps than there are.
    const double error = std::max(static_cast<double>(report.error), std::pow(kSafety / kMost, k_));
    const double factor = kSafety * std::pow(error, -kIntegral / k_) * std::pow(last_error_, kProportional / k_);
    h_ = T(std::clamp(factor, 1 / kMost, was_rejected_ ? 1 : kMost)) * h;
    last_error_ = error;
    largest_error_ = std::max(largest_error_, static_cast<double>(report.error));
    was_rejected_ = false;
    if (stiffness_) stiffness_->observe(end, h, this->uncounted_.rhs);
  }

  void finish(Summary& summary) const override {
    summary.choice->largest_error = largest_error_;
    if (stiffness_) stiffness_->finish(summary.warnings);
  }

  void state(Archive& archive) override {
    StepControl<T>::state(archive);
    archive("next", h_);
    archive("last_error", last_error_);
    archive("largest_error", largest_error_);
    archive("was_rejected", was_rejected_);
    archive("accepted", accepted_);
    for (double& noise : noise_) archive("noise", noise);
    archive("noise_length", noise_length_);
    if (stiffness_) archive("stiffness", *stiffness_);
  }

 private:
  // Nobody has seen a step yet. One that is too long for an explicit method multiplies whatever there is: its noise
  // would excuse it. It goes with a power of the length, that of steps that can be made is about proportional to it.
  void start_noise(const Point<T>& z) {
    noise_length_ = h_;
    noise_ = find_noise_(z, h_, this->uncounted_);
    for (int k = 0; k < std::numeric_limits<double>::digits; ++k) {
      const T half = noise_length_ / T(2);
      const auto noise_of_half = find_noise_(z, half, this->uncounted_);
      const auto is_multiplied = [](double noise, double less) { return noise > kMost * less; };
      if (std::equal(noise_.begin(), noise_.end(), noise_of_half.begin(), std::not_fn(is_multiplied))) return;
      noise_length_ = half;
      noise_ = noise_of_half;
    }
  }

  // Longer steps have more of the noise of forces.
  void tolerate(T h) {
    StepNoiseOf<T> noise{};
    const double longer = std::max(1.0, static_cast<double>(h / noise_length_));
    for (std::size_t i = 0; i < noise_.size(); ++i) noise[i] = static_cast<T>(longer * noise_[i]);
    this->integrator_.tolerate(this->options_.tolerance, noise);
  }

  const int k_;
  StepNoise<T> find_noise_;
  std::array<double, 3> noise_{};  // of a step of this length
  T noise_length_ = T(0);
  std::int64_t accepted_ = 0;
  std::optional<StiffnessWatch<T>> stiffness_;
  T h_ = T(0);
  double last_error_ = 1, largest_error_ = 0;
  bool was_rejected_ = false;
};

/// Steps that the method proposes, from its series at the point where they begin (Integrator::propose_length): no error
/// of steps before is needed. Not more than 5 times as long as the one before. One that is not good enough all the same
/// is made again, shorter.
///
/// The first is not longer than the span or, where a series ends that tells nothing, a hundredth of it.
template <class T>
class SeriesControl final : public StepControl<T> {
 public:
  SeriesControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
      : StepControl<T>(integrator, manifold, options),
        k_(integrator.facts().error_order),
        stiffness_(manifold, integrator.facts().order) {
    integrator.tolerate(this->options_.tolerance);
  }

  void start(const Point<T>& z) override {
    const T span = decimal<T>(this->options_.span().length());
    if (this->options_.first_step) {
      h_ = this->along(decimal<T>(*this->options_.first_step));
    } else {
      h_ = propose(z, span);
      if (abs(h_) >= span) h_ /= T(100);
    }
    h_ /= T(this->options_.refinement);
    stiffness_.rehearse(z);
  }

  T propose() override { return h_; }
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override {
    return this->integrator_.step(z, h, end);
  }

  void reject(const PhasePoint<T>& /*z*/, T h, const StepReport<T>& report) override {
    h_ = T(step_factor(report.status == StepStatus::ok ? static_cast<double>(report.error) : infinity<double>(), k_)) *
         h;
  }

  void accept(const Point<T>& /*begin*/, T h, const StepReport<T>& report, const Point<T>& end) override {
    h_ = propose(end, T(kMost * this->options_.refinement) * abs(h)) / T(this->options_.refinement);
    largest_error_ = std::max(largest_error_, static_cast<double>(report.error));
    stiffness_.observe(end, h, this->uncounted_.rhs);
  }

  void finish(Summary& summary) const override {
    summary.choice->controller = "series";
    summary.choice->largest_error = largest_error_;
    stiffness_.finish(summary.warnings);
  }

  void state(Archive& archive) override {
    StepControl<T>::state(archive);
    archive("next", h_);
    archive("largest_error", largest_error_);
    archive("stiffness", stiffness_);
  }

 private:
  T propose(const PhasePoint<T>& z, const T& longest) {
    return this->integrator_.unprojected().propose_length(z, this->along(longest));
  }

  const int k_;
  StiffnessWatch<T> stiffness_;
  T h_ = T(0);
  double largest_error_ = 0;
};

/// Steps of one length, for methods that move the time. No error is looked at.
template <class T>
class EvenControl final : public StepControl<T> {
 public:
  EvenControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
      : StepControl<T>(integrator, manifold, options),
        h_(this->along(decimal<T>(*options.first_step) / T(options.refinement))) {}

  void start(const Point<T>& /*z*/) override {}
  T propose() override { return h_; }
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override {
    return this->integrator_.step(z, h, end);
  }
  void reject(const PhasePoint<T>& /*z*/, T /*h*/, const StepReport<T>& /*report*/) override {}
  void accept(const Point<T>& /*begin*/, T /*h*/, const StepReport<T>& /*report*/, const Point<T>& /*end*/) override {}
  void finish(Summary& /*summary*/) const override {}

 private:
  const T h_;
};

}  // namespace

double step_factor(double error, int k) { return std::clamp(kSafety * std::pow(error, -1.0 / k), 1 / kMost, kMost); }

template <class T>
T first_step(Manifold<T>& manifold, const PhasePoint<T>& z, const Tolerance& tolerance, int k, const TimeSpan& span) {
  const auto field = underlying_field(manifold);
  const ErrorNorm<T> norm(tolerance);
  const auto size = [&](const PhasePoint<T>& x) {
    return max(max(norm(0, x.q, z.q, z.q), norm(1, x.p, z.p, z.p)), norm(2, x.s, z.s, z.s));
  };
  PhasePoint<T> rate = z, there = z, second = z;
  const auto each = [&](const auto& f) {
    for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
      for (std::size_t j = 0; j < (z.*part).size(); ++j)
        f((z.*part)[j], (rate.*part)[j], (there.*part)[j], (second.*part)[j]);
  };
  const T longest = decimal<T>(span.length()) / T(100), sign(span.sign());
  if (!field->field(z, rate.q.data(), rate.p.data(), rate.s.data())) return longest;
  const T first = size(rate), h0 = min(longest, T(1) / (T(100 * tolerance.relative) * first));
  each([&](const T& x, const T& x_dot, T& moved, T&) { moved = x + sign * h0 * x_dot; });
  there.t = z.t + sign * h0;
  if (!field->field(there, second.q.data(), second.p.data(), second.s.data())) return h0;
  each([&](const T&, const T& x_dot, T&, T& x_dots) { x_dots = (x_dots - x_dot) / h0; });
  const auto larger = static_cast<double>(T(100) * max(first, size(second)));
  const T h1(std::pow(larger, -1.0 / k));
  return h1 > T(0) ? min(min(longest, T(100) * h0), h1) : h0;
}

template <class T>
StepControl<T>::StepControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options)
    : integrator_(integrator), manifold_(manifold), options_(options) {
  options_.tolerance.states = static_cast<std::size_t>(manifold.system().elements().states);
}

template <class T>
T StepControl<T>::first_length(const PhasePoint<T>& z, int k) {
  if (options_.first_step) return decimal<T>(*options_.first_step);
  uncounted_.rhs += 2;
  return first_step<T>(manifold_, z, options_.tolerance, k, options_.span());
}

template <class T>
std::unique_ptr<StepControl<T>> make_step_control(Integrator<T>& integrator, Manifold<T>& manifold,
                                                  const AdaptiveOptions& options, StepDensity<T>* density) {
  if (options.controller == Controller::even) return std::make_unique<EvenControl<T>>(integrator, manifold, options);
  if (options.controller == Controller::pi && integrator.unprojected().has_series())
    return std::make_unique<SeriesControl<T>>(integrator, manifold, options);
  if (options.controller == Controller::pi) return std::make_unique<PiControl<T>>(integrator, manifold, options);
  return std::make_unique<DensityControl<T>>(integrator, manifold, options, density);
}

#define COTANGENT_FUNCTIONS(T)                                                                                     \
  template T first_step(Manifold<T>&, const PhasePoint<T>&, const Tolerance&, int, const TimeSpan&);               \
  template std::unique_ptr<StepControl<T>> make_step_control(Integrator<T>&, Manifold<T>&, const AdaptiveOptions&, \
                                                             StepDensity<T>*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
COTANGENT_INSTANTIATE(PRECISIONS, StepControl);

}  // namespace cotangent
