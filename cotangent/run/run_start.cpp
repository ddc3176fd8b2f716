#include "cotangent/run/run_start.hpp"

#include <fmt/format.h>

#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/lagrange_2.hpp"
#include "cotangent/simulation/start.hpp"

namespace cotangent {

namespace {

// How far the initial data are off the constraints, where they are to be kept as they are.
template <class T>
struct Offset {
  typename Manifold<T>::Residual position, momentum;

  Offset(Manifold<T>& manifold, const PhasePoint<T>& z)
      : position(manifold.position_residual(z.q.data(), z.t)), momentum(manifold.momentum_residual(z)) {}

  static bool is_off(const typename Manifold<T>::Residual& residual) {
    return residual.value > T(1000) * residual.level;
  }
  bool in_position() const { return is_off(position); }
  bool in_momentum() const { return is_off(momentum); }

  std::string text() const {
    return fmt::format("the initial data are off the constraints (|g| = {:.3g}, |G H_p| = {:.3g})",
                       static_cast<double>(position.value), static_cast<double>(momentum.value));
  }
};

// What returns to the constraints after every step leaves data that were to be kept as they are at once: the trajectory
// begins with a jump.
template <class T>
void note_jump(const RunMachine<T>& machine, const Offset<T>& offset, Notes& notes) {
  const MethodFacts& facts = machine.facts();
  const ProjectionPolicy policy = machine.parts.plan.policy();
  const bool to_position = facts.keeps_position || policy.to_position();
  const bool to_momentum = facts.keeps_momentum || policy.to_momentum();
  const bool jumps_in_position = offset.in_position() && to_position;
  const bool jumps_in_momentum = offset.in_momentum() && to_momentum;
  if (!jumps_in_position && !jumps_in_momentum) return;
  const std::string who = policy.to_position() || policy.to_momentum()
                              ? fmt::format("the projection '{}'", name_of(policy.projection))
                              : fmt::format("the method '{}'", facts.name);
  const char* where = offset.in_position() && !to_position   ? "to G H_p = 0, but not to g = 0"
                      : offset.in_momentum() && !to_momentum ? "to g = 0, but not to G H_p = 0"
                                                             : "to them";
  notes.push_back(fmt::format("{}: {}, and {} returns {} in the first step", machine.parts.words.name("initial"),
                              offset.text(), who, where));
}

// What the formulation needs of the first point.
template <class T>
void expect_point(const RunMachine<T>& machine, const std::optional<Offset<T>>& offset, const PhasePoint<T>& z) {
  if (machine.parts.plan.formulation != lagrange_2_facts().name) return;
  if (offset && (offset->in_position() || offset->in_momentum()))
    machine.parts.words.refuse("initial",
                               fmt::format("{}, and '{}' has no points there", offset->text(), lagrange_2_facts().name),
                               "leave it out: the initial data are then moved onto the constraints");
  expect_minimal_start(machine.parts.model, machine.manifold(), z);
}

}  // namespace

template <class T>
void check_start(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes) {
  std::optional<Offset<T>> offset;
  if (machine.parts.plan.initial == InitialPolicy::as_given && machine.map.system->m() > 0)
    offset.emplace(machine.manifold(), z);
  expect_point(machine, offset, z);
  if (offset) note_jump(machine, *offset, notes);
}

#define COTANGENT_FUNCTIONS(T) template void check_start(const RunMachine<T>&, const PhasePoint<T>&, Notes&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
