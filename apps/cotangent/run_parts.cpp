#include "run_parts.hpp"

#include "choose_method.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/registry.hpp"
#include "formulation_choice.hpp"
#include "option_numbers.hpp"

using namespace cotangent;

template <class T>
StepMap<T> make_step_map(const RunParts& parts) {
  StepMap<T> map;
  map.system = std::make_unique<System<T>>(parts.compiled);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator = find_method<T>(parts.method)
                       .make(*map.manifold, parts.formulation, choose_formulation_options(parts.options),
                             choose_method_options(parts.options));
  map.projector = std::make_unique<Projector<T>>(*map.manifold, parts.policy);
  return map;
}

template <class T>
std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts& parts) {
  const Expr expression =
      read_option_expression(parts.options, parts.model, "step-density", *parts.options.step_density);
  return std::make_unique<ExpressionDensity<T>>(parts.model, expression, backend_of(parts.choices));
}

#define COTANGENT_FUNCTIONS_TRAJECTORIES(T) template StepMap<T> make_step_map(const RunParts&);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS_TRAJECTORIES)

#define COTANGENT_FUNCTIONS_PRECISIONS(T) template std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS_PRECISIONS)
