#pragma once

#include <memory>
#include <string>

#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/step_map.hpp"

namespace cotangent::test {

/// The steps of a method on a model, with objects of their own.
template <class T>
StepMap<T> make_map(const Model& model, const std::string& method, const std::string& formulation = "",
                    const ProjectionPolicy& policy = {.projection = Projection::none},
                    const FormulationOptions& options = {}) {
  StepMap<T> map;
  const auto elements = std::make_shared<const Elements>(extract_elements(model));
  map.system = std::make_unique<System<T>>(elements, Backend::interpreter);
  map.manifold = std::make_unique<Manifold<T>>(*map.system);
  map.integrator =
      with_projection(find_method<T>(method).make(*map.manifold, formulation, options), *map.manifold, policy);
  return map;
}

}  // namespace cotangent::test
