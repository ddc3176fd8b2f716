#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// An entry of the list of methods.
template <class T>
struct Method {
  MethodFacts facts;
  std::unique_ptr<Integrator<T>> (*factory)(Manifold<T>& manifold, std::string_view formulation,
                                            const FormulationOptions& options);

  /// @param formulation one of facts.formulations, or nothing for the first of them.
  /// @throws std::invalid_argument if the method cannot take this system or formulation, with the reason and what to
  /// use
  ///         instead. The manifold must outlive the integrator.
  std::unique_ptr<Integrator<T>> make(Manifold<T>& manifold, std::string_view formulation = {},
                                      const FormulationOptions& options = {}) const;
};

/// Every method the program has; adding one is a line here.
template <class T>
const std::vector<Method<T>>& methods();

/// The method of that name. @throws std::invalid_argument listing the methods if there is none.
template <class T>
const Method<T>& find_method(std::string_view name);

}  // namespace cotangent
