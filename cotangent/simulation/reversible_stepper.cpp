#include "cotangent/simulation/reversible_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

constexpr int kTrials = 30;
constexpr double kLongest = 5;       // h Q in units of tolerance^(1/k)
constexpr double kGoodEnough = 0.8;  // of the tolerated error
constexpr double kTooMuch = 10;      // times the tolerated error is worth a warning
constexpr std::int64_t kCheckEvery = 64;

}  // namespace

template <class T>
ReversibleStepper<T>::ReversibleStepper(Integrator<T>& integrator, Manifold<T>& manifold,
                                        const AdaptiveOptions& options, StepDensity<T>& density)
    : VariableStepper<T>(integrator, manifold, options),
      density_(density),
      control_(manifold, density),
      doubled_(integrator.unprojected(), this->options_.tolerance) {}

template <class T>
void ReversibleStepper<T>::choose(const Point<T>& z) {
  const int k = this->integrator_.facts().order + 1;
  // The estimate is that of two half steps.
  whole_ = std::pow(2.0, k - 1);
  T h = min(this->first_length(z, k), this->end());
  for (int i = 0; i < kTrials && h > this->shortest(z); ++i) {
    const StepReport<T> report = doubled_(z, h, checked_);
    add(this->pending_, report);
    const double error = whole_ * static_cast<double>(report.error);
    if (report.status != StepStatus::ok || !std::isfinite(error)) {
      h /= T(4);
      continue;
    }
    if (error <= 1 && (error >= kGoodEnough || h >= this->end())) break;
    const double wanted = std::pow((1 + kGoodEnough) / 2 / std::max(error, 1e-30), 1.0 / k);
    h = min(T(std::clamp(wanted, 0.1, 4.0)) * h, this->end());
  }
  control_.start(z, h);
  // A start at which nothing happens says nothing about the rest of the run: there the error is that of an oscillation.
  const T limit(kLongest * std::pow(this->options_.tolerance.relative, 1.0 / k));
  const bool is_long = density_.is_frequency() && h * control_.density() > limit;
  if (is_long) h = limit / control_.density();
  if (is_long || this->options_.refinement > 1) control_.start(z, h / T(this->options_.refinement));
  this->pending_.rhs += control_.evaluations();
}

template <class T>
StepReport<T> ReversibleStepper<T>::attempt(const Point<T>& z, T h, Point<T>& end) {
  if (!density_.is_frequency() && !control_.has_density())
    return {.status = StepStatus::no_step_density, .ok = Mask<T>(false)};
  StepReport<T> report = this->integrator_.step(z, h, end);
  if (report.status != StepStatus::ok) return report;
  const std::int64_t evaluations = control_.evaluations();
  if (control_.is_too_long(end, h)) report.error = infinity<T>();
  report.evaluations += control_.evaluations() - evaluations;
  return report;
}

template <class T>
T ReversibleStepper<T>::shorter(const PhasePoint<T>& z, T h, const StepReport<T>& /*report*/) {
  const std::int64_t evaluations = control_.evaluations();
  control_.adjust(z, h / T(2));
  note(z, evaluations);
  return control_.length();
}

template <class T>
void ReversibleStepper<T>::accept(const Point<T>& begin, T h, const StepReport<T>& /*report*/, const Point<T>& end) {
  const std::int64_t k = ++accepted_;
  if (k % kCheckEvery == 0 || (k & (k - 1)) == 0) check(begin, h);
  const std::int64_t evaluations = control_.evaluations();
  control_.move(end);
  note(end, evaluations);
  if (!lost_ && control_.losses() > 0) lost_ = static_cast<double>(end->t);
}

// The density does not look at errors; now and then they are looked at without consequences, but for a warning.
template <class T>
void ReversibleStepper<T>::check(const Point<T>& begin, T h) {
  const StepReport<T> report = doubled_(begin, h, checked_);
  add(this->pending_, report);
  const double error = whole_ * static_cast<double>(report.error);
  if (report.status != StepStatus::ok || !(error > worst_error_)) return;
  worst_error_ = error;
  worst_time_ = static_cast<double>(begin->t);
}

template <class T>
void ReversibleStepper<T>::note(const PhasePoint<T>& z, std::int64_t evaluations_before) {
  this->pending_.rhs += control_.evaluations() - evaluations_before;
  if (control_.adjustments() > 0 && !adjusted_) adjusted_ = static_cast<double>(z.t);
}

template <class T>
void ReversibleStepper<T>::finish(Summary& summary) const {
  VariableStepper<T>::finish(summary);
  summary.choice->is_reversible = !lost_ && !adjusted_;
  if (worst_error_ > kTooMuch)
    summary.warnings.push_back(
        {.time = worst_time_,
         .kind = "tolerance-exceeded",
         .text =
             fmt::format("the step at t = {:g} made an error of {:.1e} times what is tolerated: reversible steps "
                         "follow a density, not their errors; `controller = pi` watches errors in every step, and a "
                         "smaller `tolerance` makes all steps shorter",
                         worst_time_, worst_error_)});
  if (lost_)
    summary.warnings.push_back(
        {.time = *lost_,
         .kind = "lost-density",
         .text = fmt::format("{} times, for the first time at t = {:g}, steps had lost their density, which changes "
                             "too much for them to follow, and were chosen anew: they are not reversible there; a "
                             "smaller `tolerance`, another `step-density` or `controller = pi` may help",
                             control_.losses(), *lost_)});
  if (!adjusted_) return;
  summary.warnings.push_back(
      {.time = *adjusted_,
       .kind = "irreversible-steps",
       .text = fmt::format("steps were made shorter {} times, for the first time at t = {:g}, than their density says: "
                           "they are not reversible there; a smaller `tolerance`, or another `step-density`, may help",
                           control_.adjustments(), *adjusted_)});
}

template <class T>
void ReversibleStepper<T>::state(Archive& archive, Point<T>& z, std::int64_t k) {
  VariableStepper<T>::state(archive, z, k);
  archive("density", density_);
  archive("control", control_);
  archive("accepted", accepted_);
  archive("worst_error", worst_error_);
  archive("worst_time", worst_time_);
  archive("adjusted", adjusted_);
  archive("lost", lost_);
}

COTANGENT_INSTANTIATE(PRECISIONS, ReversibleStepper);

}  // namespace cotangent
