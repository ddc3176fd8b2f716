#include "cotangent/simulation/watch/stiffness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/simulation/pace/adaptive_stepper.hpp"

namespace cotangent {
namespace {

// A step of radau-iia:3 costs about as much as so many of dop853.
constexpr std::int64_t kCost = 20;
// When stiff_step looks, in steps of the explicit method.
constexpr std::int64_t kLooks[] = {50, 300};

constexpr std::int64_t kEvery = 10;  // steps from look to look of the watch
constexpr int kHits = 15;            // so many looks are no accident

}  // namespace

template <class T>
std::optional<double> stiff_step(Integrator<T>& explicit_method, Integrator<T>& stiff_method, Manifold<T>& manifold,
                                 AdaptiveOptions options, const PhasePoint<T>& start) {
  options.controller = Controller::pi;
  options.sample.reset();
  options.tolerance.states = static_cast<std::size_t>(manifold.system().elements().states);
  Point<T> z = start, next, tried;
  settle_redundancy(manifold, start);
  AdaptiveStepper<T> stepper(explicit_method, manifold, options);
  stepper.start(z);
  StepDoubling<T> doubled(stiff_method, options.tolerance);
  std::int64_t k = 0;
  const auto advance = [&] {
    if (stepper.is_done(z, k) || !stepper.advance(z, k, Looks::at_every_step, next, nullptr).is_whole) return false;
    swap(z, next);
    ++k;
    return true;
  };
  for (const std::int64_t look : kLooks) {
    while (k < look)
      if (!advance()) return std::nullopt;
    const T longer = T(2 * kCost) * stepper.usual_length(), end = z->t + longer;
    if (!options.span().is_before(end, stepper.end())) return std::nullopt;
    const StepReport<T> report = doubled(z, longer, tried);
    if (report.status != StepStatus::ok || !(report.error <= T(1))) continue;
    // Steps may have been short for the last time.
    const std::int64_t before = k;
    while (options.span().is_before(T(z->t), end))
      if (!advance()) return std::nullopt;
    if (k - before >= kCost) return static_cast<double>(abs(longer));
  }
  return std::nullopt;
}

template <class T>
StiffnessWatch<T>::StiffnessWatch(Manifold<T>& manifold, int order)
    : field_(underlying_field(manifold)),
      limit_(order < 8 ? 2.5 : 4),
      f_(static_cast<std::size_t>(2 * manifold.system().n() + manifold.system().state_count()), T(0)),
      moved_(f_),
      d_(f_),
      weights_(f_),
      there_(manifold.system().n(), manifold.system().state_count()) {
  // Some direction that is no eigenvector.
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = T(1 + 0.1 * static_cast<double>((7 * k) % 11));
}

template <class T>
bool StiffnessWatch<T>::rate(const PhasePoint<T>& z, std::vector<T>& f) {
  const std::size_t n = z.q.size();
  return field_->field(z, f.data(), f.data() + n, f.data() + 2 * n);
}

template <class T>
T StiffnessWatch<T>::norm(const std::vector<T>& x) const {
  T sum(0);
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] * weights_[k]) * (x[k] * weights_[k]);
  return sqrt(sum);
}

template <class T>
bool StiffnessWatch<T>::multiply(const PhasePoint<T>& z) {
  const T distance = sqrt(epsilon<T>()) / norm(d_);
  if (!(distance > T(0)) || !isfinite(distance)) return false;
  auto d = d_.begin();
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
    for (std::size_t j = 0; j < (z.*part).size(); ++j) (there_.*part)[j] = (z.*part)[j] + distance * *d++;
  there_.t = z.t;
  if (!rate(there_, moved_)) return false;
  for (std::size_t j = 0; j < d_.size(); ++j) d_[j] = (moved_[j] - f_[j]) / distance;
  return true;
}

template <class T>
void StiffnessWatch<T>::observe(const PhasePoint<T>& z, const T& h, std::int64_t& evaluations) {
  if (stiff_from_ || ++steps_ % kEvery != 0) return;
  auto weight = weights_.begin();
  for (const auto* part : {&z.q, &z.p, &z.s}) {
    const T most = largest_of(*part);
    weight = std::fill_n(weight, part->size(), most > T(0) ? T(1) / most : T(1));
  }
  evaluations += 3;
  const T before = norm(d_);
  if (!rate(z, f_) || !multiply(z) || !multiply(z)) return;
  const T after = norm(d_);
  if (!isfinite(after) || !(after > T(0))) return;
  const double product = static_cast<double>(abs(h)) * std::sqrt(static_cast<double>(after / before));
  for (T& x : d_) x = x / after;
  if (product > limit_) {
    if (hits_++ == 0) began_ = static_cast<double>(z.t), largest_ = 0;
    largest_ = std::max(largest_, product);
    if (hits_ == kHits) stiff_from_ = began_;
  } else if (hits_ > 0) {
    --hits_;
  }
}

template <class T>
void StiffnessWatch<T>::finish(std::vector<Warning>& warnings) const {
  if (!stiff_from_) return;
  warnings.push_back({.time = *stiff_from_,
                      .kind = "stiff",
                      .text = fmt::format("from t = {:g} on steps are limited by the stability of the method, not by "
                                          "accuracy (h times the fastest rate is {:.2g}): the system is stiff there; "
                                          "`method = radau-iia:3` may need far fewer steps",
                                          *stiff_from_, largest_)});
}

#define COTANGENT_FUNCTIONS(T)                                                                             \
  template std::optional<double> stiff_step(Integrator<T>&, Integrator<T>&, Manifold<T>&, AdaptiveOptions, \
                                            const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
COTANGENT_INSTANTIATE(PRECISIONS, StiffnessWatch);

}  // namespace cotangent
