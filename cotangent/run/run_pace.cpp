#include "cotangent/run/run_pace.hpp"

#include <fmt/format.h>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

namespace {

// The density of steps that was asked for, if it can be one.
template <class T>
std::unique_ptr<StepDensity<T>> choose_density(const RunParts& parts, PhasePoint<T> z) {
  if (parts.plan.step_density.empty()) return nullptr;
  auto density = make_density<T>(parts);
  const T here = (*density)(z);
  if (!isfinite(here) || !(here > T(0)))
    parts.words.refuse("step-density",
                       fmt::format("must be a positive number, but is {:g} at the start", static_cast<double>(here)));
  for (T& p : z.p) p = -p;
  if (const T back = (*density)(z); !(abs(back - here) <= T(1e-6) * here))
    parts.words.refuse("step-density",
                       fmt::format("must be the same for a motion that runs backwards, but is {:g} at the start and "
                                   "{:g} with the opposite momenta",
                                   static_cast<double>(here), static_cast<double>(back)),
                       "use squares of momenta and velocities");
  return density;
}

}  // namespace

template <class T>
RunPace<T>::RunPace(const RunPlan& plan, Notes& notes) {
  if (plan.is_adaptive()) return;
  grid_.emplace(plan.grid());
  if (grid_->step_was_reduced())
    notes.push_back(fmt::format("the step was reduced from {} to {:g}, so that steps end at the sampling times",
                                *plan.step, static_cast<double>(grid_->step())));
}

template <class T>
void RunPace<T>::settle(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes) {
  if (!machine.parts.plan.is_adaptive()) return;
  adaptive_ = machine.parts.plan.adaptive();
  if (adaptive_->controller != Controller::reversible) return;
  if (machine.parts.plan.policy().is_active(machine.map.system->m()))
    notes.push_back("the projection after every step is not symmetric: the steps are reversible, the run is not");
  density_ = choose_density<T>(machine.parts, z);
}

template <class T>
Summary RunPace<T>::operator()(const Simulation<T>& simulation, Point<T>& z) const {
  return adaptive_ ? simulate(simulation, *adaptive_, z, density_.get()) : simulate(simulation, *grid_, z);
}

COTANGENT_INSTANTIATE(PRECISIONS, RunPace);

}  // namespace cotangent
