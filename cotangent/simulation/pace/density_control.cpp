#include "cotangent/simulation/pace/density_control.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/wording.hpp"

namespace cotangent {
namespace {

constexpr double kLongest = 5;            // h Q in units of tolerance^(1/k)
constexpr double kTooMuch = 10;           // times what is tolerated, or what a density says
constexpr std::int64_t kCheckEvery = 32;  // steps
constexpr int kPlaces = 32;               // that are looked at before the start, and
constexpr double kApart = 0.4;            // how far apart they are in time, in units of 1/Q
constexpr double kRecovery = 8;           // steps in which eps returns to what it was

template <class T>
std::unique_ptr<StepDensity<T>> usual_density(Manifold<T>& manifold, double length, StepDensity<T>* given) {
  return given ? nullptr : std::make_unique<FrequencyDensity<T>>(manifold, length);
}

}  // namespace

template <class T>
DensityControl<T>::DensityControl(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options,
                                  StepDensity<T>* density)
    : StepControl<T>(integrator, manifold, options),
      default_density_(usual_density(manifold, options.span().length(), density)),
      density_(density ? *density : *default_density_),
      field_(underlying_field(manifold)),
      doubled_(integrator.unprojected(), this->options_.tolerance),
      find_noise_(integrator),
      rate_(manifold.system().n(), manifold.system().state_count()),
      other_(rate_),
      other_rate_(rate_) {}

template <class T>
void DensityControl<T>::start(const Point<T>& z) {
  T h = good_length(z);
  begin(z, this->along(h));
  // A start at which nothing happens says nothing about the rest of the run: there the error is that of an oscillation.
  const int k = this->integrator_.facts().order + 1;
  const T limit(kLongest * std::pow(this->options_.tolerance.relative, 1.0 / k));
  if (density_.is_frequency()) h = length_along(z, min(h, limit / rho_));
  begin(z, this->along(h / T(this->options_.refinement)));
  // As all that allocates.
  static_cast<void>(find_noise_(z, h, this->uncounted_));
}

template <class T>
void DensityControl<T>::begin(const PhasePoint<T>& z, T h) {
  static_cast<void>(field(z, rate_));
  density_.start(z, rate_, field_->multipliers());
  rho_ = density_(z, rate_, field_->multipliers());
  if (!isfinite(rho_) || !(rho_ > T(0))) rho_ = T(1);
  eps_ = usual_eps_ = h * rho_;
  here_ = look(z);
}

// The length of a step at z whose error is what is tolerated: it grows while it may, and is then made shorter while it
// must be.
template <class T>
T DensityControl<T>::good_length(const Point<T>& z) {
  const int k = this->integrator_.facts().order + 1;
  const T longest(this->options_.span().length());
  T h = min(this->first_length(z, k), longest);
  for (bool may_grow = true; h > epsilon<T>() * epsilon<T>() * longest;) {
    const double error = doubled_error(z, this->along(h)), factor = step_factor(error, k);
    may_grow = may_grow && error <= 1 && factor > 1 && h < longest;
    if (error <= 1 && !may_grow) break;
    h = min(T(factor) * h, longest);
  }
  return h;
}

// The same for the places to which the motion leads from z: h, or less where the error of a step eps/Q there is more
// than what is tolerated. Steps from place to place need not be accurate. The size of a kind is that in all of them:
// where a momentum passes zero it is no measure.
template <class T>
T DensityControl<T>::length_along(const Point<T>& z, T h) {
  std::array<double, 3>& size = this->options_.tolerance.size;
  visit_places(z, [&](const Point<T>& place, const T& /*Q*/) {
    std::size_t kind = 0;
    for (const std::vector<T>* x : {&place->q, &place->p, &place->s}) {
      size[kind] = std::max(size[kind], static_cast<double>(largest_of(*x)));
      ++kind;
    }
  });
  doubled_.tolerate(this->options_.tolerance, {});
  const T eps = h * rho_;
  double worst = 1;
  visit_places(z, [&](const Point<T>& place, const T& Q) {
    if (const double error = doubled_error(place, this->along(eps / Q)); std::isfinite(error))
      worst = std::max(worst, error);
  });
  return h * T(std::pow(worst, -1.0 / (this->integrator_.facts().order + 1)));
}

// visit(place, Q there) at places to which the motion leads from z.
template <class T>
template <class Visit>
void DensityControl<T>::visit_places(const Point<T>& z, const Visit& visit) {
  const TimeSpan span = this->options_.span();
  const T end(span.end);
  Point<T> place = z, next;
  for (int k = 0; k < kPlaces && span.is_before(T(place->t), end) && field(place, rate_); ++k) {
    const T Q = density_(place, rate_, field_->multipliers());
    if (!isfinite(Q) || !(Q > T(0))) break;
    visit(place, Q);
    const T apart = this->along(min(T(kApart) / Q, abs(end - place->t)));
    const StepReport<T> report = this->integrator_.step(place, apart, next);
    add(this->uncounted_, report);
    if (report.status != StepStatus::ok) break;
    swap(place, next);
  }
}

// Of the whole step: the estimate is that of its two parts.
template <class T>
double DensityControl<T>::doubled_error(const Point<T>& z, T h) {
  const StepReport<T> report = doubled_(z, h, doubled_end_);
  add(this->uncounted_, report);
  if (report.status != StepStatus::ok) return std::numeric_limits<double>::infinity();
  return static_cast<double>(report.error) / doubled_.error_left();
}

template <class T>
T DensityControl<T>::propose() {
  rho_half_ = rho_;
  half_step(rho_half_);
  return eps_ / rho_half_;
}

template <class T>
StepReport<T> DensityControl<T>::attempt(const Point<T>& z, T h, Point<T>& end) {
  if (!density_.is_frequency() && !(here_.Q > T(0)))
    return {.status = StepStatus::no_step_density, .ok = Mask<T>(false)};
  StepReport<T> report = this->integrator_.step(z, h, end);
  if (report.status != StepStatus::ok) return report;
  next_ = look(end);
  if (abs(h) * next_.Q > T(kTooMuch) * abs(usual_eps_)) report.error = infinity<T>();
  return report;
}

template <class T>
void DensityControl<T>::reject(const PhasePoint<T>& z, T h, const StepReport<T>& report) {
  shortened_.note(z);
  if (report.status != StepStatus::ok) {
    failed_.note(z);
    reason_ = report.status;
  }
  eps_ = h * rho_half_ / T(2);
}

template <class T>
void DensityControl<T>::accept(const Point<T>& begin, T h, const StepReport<T>& /*report*/, const Point<T>& end) {
  if (++accepted_ % kCheckEvery == 1) {
    // Without consequences, but for a warning.
    const std::array<double, 3> noise = find_noise_(begin, h, this->uncounted_);
    doubled_.tolerate(this->options_.tolerance, {T(noise[0]), T(noise[1]), T(noise[2])});
    const double error = doubled_error(begin, h);
    if (std::isfinite(error) && error > worst_error_) {
      worst_error_ = error;
      worst_time_ = static_cast<double>(begin->t);
    }
  }
  here_ = next_;
  half_step(rho_ = rho_half_);
  if (here_.Q > T(0) && (rho_ > T(kTooMuch) * here_.Q || rho_ < here_.Q / T(kTooMuch))) {
    rho_ = here_.Q;
    lost_.note(end);
  }
  eps_ += (usual_eps_ - eps_) / T(kRecovery);
}

// rho <- rho + eps/2 G, but neither to less than half nor to more than twice: the limits change places where it goes
// backwards, so that a half step that they shorten is reversible as all others are.
template <class T>
void DensityControl<T>::half_step(T& rho) const {
  rho = min(max(rho + eps_ / T(2) * here_.G, rho / T(2)), T(2) * rho);
}

template <class T>
bool DensityControl<T>::field(const PhasePoint<T>& z, PhasePoint<T>& rate) {
  ++this->uncounted_.rhs;
  return field_->field(z, rate.q.data(), rate.p.data(), rate.s.data());
}

// Where the field is not found the density stays what it is.
template <class T>
typename DensityControl<T>::Seen DensityControl<T>::look(const PhasePoint<T>& z) {
  if (!field(z, rate_)) return {here_.Q, T(0)};
  const T Q = density_(z, rate_, field_->multipliers());
  if (!isfinite(Q) || !(Q > T(0))) return {};
  const T d = eps_ / (T(4) * Q);
  const auto displaced = [&](const T& along) {
    for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
      for (std::size_t j = 0; j < (z.*part).size(); ++j) (other_.*part)[j] = (z.*part)[j] + along * (rate_.*part)[j];
    other_.t = z.t + along;
    if (density_.is_frequency() && !field(other_, other_rate_)) return T(0);
    return density_(other_, other_rate_, field_->multipliers());
  };
  const T ahead = displaced(d), behind = displaced(-d);
  const T G = (ahead - behind) / ((ahead + behind) * d);
  return {Q, isfinite(G) ? G : T(0)};
}

template <class T>
void DensityControl<T>::finish(Summary& summary) const {
  summary.choice->largest_error = worst_error_;
  summary.choice->is_reversible = lost_.count + shortened_.count == 0;
  if (worst_error_ > kTooMuch)
    summary.warnings.push_back(
        {worst_time_, "tolerance-exceeded",
         fmt::format("the step at t = {:g} made an error of {:.1e} times what is tolerated: reversible steps "
                     "follow a density, not their errors; `controller = pi` watches errors in every step, and a "
                     "smaller `tolerance` makes all steps shorter",
                     worst_time_, worst_error_)});
  if (lost_.count > 0)
    summary.warnings.push_back(
        {lost_.first, "lost-density",
         fmt::format("{}, at t = {:g} first, steps had lost their density, which changes "
                     "too much for them to follow, and were chosen anew: they are not reversible there; a "
                     "smaller `tolerance`, another `step-density` or `controller = pi` may help",
                     times(static_cast<std::size_t>(lost_.count)), lost_.first)});
  if (shortened_.count > 0)
    summary.warnings.push_back(
        {shortened_.first, "irreversible-steps",
         fmt::format("steps were made shorter than their density says {}, at t = {:g} first: "
                     "they are not reversible there; {}",
                     times(static_cast<std::size_t>(shortened_.count)), shortened_.first,
                     failed_.count == 0
                         ? "a smaller `tolerance`, or another `step-density`, may help"
                         : fmt::format("{} a step could not be made: {}",
                                       times(static_cast<std::size_t>(failed_.count)), describe(reason_)))});
}

template <class T>
void DensityControl<T>::state(Archive& archive) {
  StepControl<T>::state(archive);
  archive("density", density_);
  for (double& size : this->options_.tolerance.size) archive("size", size);
  archive("eps", eps_);
  archive("usual_eps", usual_eps_);
  archive("rho", rho_);
  archive("here", here_);
  archive("accepted", accepted_);
  archive("worst_error", worst_error_);
  archive("worst_time", worst_time_);
  archive("shortened", shortened_);
  archive("lost", lost_);
  archive("failed", failed_);
  auto reason = static_cast<std::int64_t>(reason_);
  archive("reason", reason);
  reason_ = static_cast<StepStatus>(reason);
}

COTANGENT_INSTANTIATE(PRECISIONS, DensityControl);

}  // namespace cotangent
