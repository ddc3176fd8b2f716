#include "cotangent/simulation/stiffness.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/doubled.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/simulation/pi_stepper.hpp"

namespace cotangent {
namespace {

constexpr double kLonger = 30;
// As many steps of the explicit method, or more, are too many for one step of the other.
constexpr std::int64_t kTooMany = 20;
// When to look, in steps of the explicit method.
constexpr std::int64_t kLooks[] = {50, 300};

}  // namespace

template <class T>
std::optional<double> stiff_step(Integrator<T>& explicit_method, Integrator<T>& stiff_method, Manifold<T>& manifold,
                                 AdaptiveOptions options, const PhasePoint<T>& start) {
  options.controller = Controller::pi;
  options.sample.reset();
  Point<T> z = start, next, tried;
  settle_redundancy(manifold, start);
  PiStepper<T> stepper(explicit_method, manifold, options);
  stepper.start(z);
  options.tolerance.states = static_cast<std::size_t>(manifold.system().elements().states);
  StepDoubling<T> doubled(stiff_method, options.tolerance);
  std::int64_t k = 0;
  T h(0);
  const auto advance = [&] {
    if (stepper.is_done(z, k)) return false;
    const Stride<T> stride = stepper.advance(z, k, Looks::at_every_step, next);
    if (stride.is_whole) swap(z, next);
    ++k;
    h = stride.length;
    return stride.is_whole;
  };
  for (const std::int64_t look : kLooks) {
    while (k < look)
      if (!advance()) return std::nullopt;
    const T longer = T(kLonger) * h, end = z->t + longer;
    if (!(end < stepper.end())) return std::nullopt;
    const StepReport<T> report = doubled(z, longer, tried);
    if (report.status != StepStatus::ok || !(report.error <= T(1))) continue;
    // Steps may have been short for the last time.
    const std::int64_t before = k;
    while (z->t < end)
      if (!advance()) return std::nullopt;
    if (k - before >= kTooMany) return static_cast<double>(longer);
  }
  return std::nullopt;
}

#define COTANGENT_FUNCTIONS(T)                                                                             \
  template std::optional<double> stiff_step(Integrator<T>&, Integrator<T>&, Manifold<T>&, AdaptiveOptions, \
                                            const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
