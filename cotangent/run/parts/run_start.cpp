#include <fmt/format.h>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

// Initial data that are off the constraints and were to be kept as they are. Steps that return to the constraints leave
// them at once: the trajectory begins with a jump.
template <class T>
void check_offset(const RunMachine<T>& machine, const PhasePoint<T>& z, bool is_minimal, Notes& notes) {
  const auto g = machine.manifold().position_residual(z.q.data(), z.t);
  const auto psi = machine.manifold().momentum_residual(z);
  const bool is_off_g = g.value > T(1000) * g.level, is_off_psi = psi.value > T(1000) * psi.level;
  const std::string off = fmt::format("the initial data are off the constraints (|g| = {:.3g}, |G H_p| = {:.3g})",
                                      static_cast<double>(g.value), static_cast<double>(psi.value));
  if (is_minimal && (is_off_g || is_off_psi))
    machine.parts.words.refuse("initial", fmt::format("{}, and '{}' has no points there", off, lagrange_2_facts().name),
                               "leave it out: the initial data are then moved onto the constraints");
  const bool to_g = machine.returns_to_position(), to_psi = machine.returns_to_momentum();
  if (!(is_off_g && to_g) && !(is_off_psi && to_psi)) return;
  const ProjectionPolicy policy = machine.parts.plan.policy();
  const std::string who = policy.to_position() || policy.to_momentum()
                              ? fmt::format("the projection '{}'", name_of(policy.projection))
                              : fmt::format("the method '{}'", machine.facts().name);
  const char* where = is_off_g && !to_g       ? "to G H_p = 0, but not to g = 0"
                      : is_off_psi && !to_psi ? "to g = 0, but not to G H_p = 0"
                                              : "to them";
  notes.push_back(
      fmt::format("{}: {}, and {} returns {} in the first step", machine.parts.words.name("initial"), off, who, where));
}

}  // namespace

template <class T>
void check_start(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes) {
  const bool is_minimal = machine.parts.plan.formulation == lagrange_2_facts().name;
  if (machine.parts.plan.initial == InitialPolicy::as_given && machine.map.system->m() > 0)
    check_offset(machine, z, is_minimal, notes);
  if (is_minimal) expect_minimal_start(machine.parts.model, machine.manifold(), z);
}

template <class T>
std::unique_ptr<StepDensity<T>> choose_density(const RunMachine<T>& machine, PhasePoint<T> z, Notes& notes) {
  const RunParts& parts = machine.parts;
  if (!parts.plan.is_adaptive() || parts.plan.controller != Controller::reversible) return nullptr;
  if (parts.plan.policy().is_active(machine.map.system->m()))
    notes.push_back("the projection after every step is not symmetric: the steps are reversible, the run is not");
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

#define COTANGENT_FUNCTIONS(T)                                                   \
  template void check_start(const RunMachine<T>&, const PhasePoint<T>&, Notes&); \
  template std::unique_ptr<StepDensity<T>> choose_density(const RunMachine<T>&, PhasePoint<T>, Notes&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
