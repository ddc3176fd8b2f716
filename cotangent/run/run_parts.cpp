#include "cotangent/run/run_parts.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/registry.hpp"
#include "cotangent/run/plan_run.hpp"

namespace cotangent {

template <class T>
StepMap<T> make_step_map(const RunParts& parts) {
  const RunPlan& plan = parts.plan;
  StepMap<T> map;
  map.system = std::make_unique<System<T>>(parts.compiled);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  auto method =
      find_method<T>(plan.method).make(*map.manifold, plan.formulation, plan.formulation_options(), plan.solves);
  map.integrator = steps_of(std::move(method), *map.manifold, plan);
  return map;
}

template <class T>
std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts& parts) {
  const Expr expression = read_option_expression(parts.words, parts.model, "step-density", parts.plan.step_density);
  return std::make_unique<ExpressionDensity<T>>(parts.model, expression, parts.plan.chosen_backend());
}

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

#define COTANGENT_MAPS(T) template StepMap<T> make_step_map(const RunParts&);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_MAPS)

}  // namespace cotangent
