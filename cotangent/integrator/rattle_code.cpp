#include "cotangent/integrator/rattle_code.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/rattle_loop_plan.hpp"

namespace cotangent {
namespace {

template <class T>
std::optional<typename RattleCode<T>::Loop> compile_loop(const System<T>& system, const RattlePlan& stages,
                                                         const CouplingPlan& coupling) {
  typename RattleCode<T>::Loop code;
  std::optional<RattleLoopPlan> plan;
  if constexpr (is_dual<T>) {
    plan = plan_rattle_tangents(system.elements(), stages, coupling, T::kTangents, T::kSize);
    if (!plan) return std::nullopt;
    code.once = system.compiler().add_numbers(plan->once);
  } else {
    plan = plan_rattle_loop(system.elements(), stages, coupling);
    if (!plan) return std::nullopt;
    code.loop = system.compiler().add(plan->loop);
    code.once = system.compiler().add(plan->once);
  }
  code.has_force = std::any_of(plan->once.stores.begin(), plan->once.stores.end(),
                               [](const auto& store) { return store.vector == RattleLoopPlan::f; });
  return code;
}

template <class T>
RattleCode<T> compile_stages(const System<T>& system, const RattlePlan& plan) {
  const auto compile = [&](const RattlePlan::Stage& stage) {
    return system.model().template compile<T>(*plan.graph, stage);
  };
  RattleCode<T> code;
  code.newton = compile(plan.newton);
  code.kick = compile(plan.kick);
  code.is_composed = plan.composed.has_value();
  if (plan.composed) {
    code.drift_position = compile(plan.composed->drift_position);
    code.kick_momentum = compile(plan.composed->kick_momentum);
    code.project_verify = compile(plan.composed->project_verify);
  } else {
    code.drift = compile(plan.drift);
    code.position = compile(plan.position);
    code.momentum = compile(plan.momentum);
    code.verify = compile(plan.verify);
    code.project = compile(plan.project);
  }
  return code;
}

}  // namespace

template <class T>
const std::optional<RattleCode<T>>& rattle_code(Manifold<T>& manifold) {
  using Code = std::optional<RattleCode<T>>;
  const System<T>& system = manifold.system();
  return system.model().template shared<Code>("rattle", [&]() -> Code {
    const CouplingPlan* coupling = manifold.matrix().plan();
    if (!coupling || !system.has_homogeneous_mass()) return std::nullopt;
    const auto plan = plan_rattle(system.elements(), *coupling, system.uniform_mass());
    if (!plan) return std::nullopt;
    RattleCode<T> code = compile_stages(system, *plan);
    code.loop = compile_loop(system, *plan, *coupling);
    return code;
  });
}

#define COTANGENT_RATTLE_CODE(T) template const std::optional<RattleCode<T>>& rattle_code(Manifold<T>&);
COTANGENT_FOR_NUMBERS(COTANGENT_RATTLE_CODE)
#undef COTANGENT_RATTLE_CODE

}  // namespace cotangent
