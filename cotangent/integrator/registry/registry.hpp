#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/integrator/registry/method_family.hpp"

namespace cotangent {

/// A method of a family, by its full name.
template <class T>
struct Method {
  MethodFacts facts;
  MethodName name;
  const MethodFamily<T>* family;

  /// @param formulation one of facts.formulations, or nothing for the first of them.
  /// @throws std::invalid_argument if the method cannot take this system or formulation, with the reason and what to
  ///         use instead. The manifold must outlive the integrator.
  std::unique_ptr<Integrator<T>> make(Manifold<T>& manifold, std::string_view formulation = {},
                                      const FormulationOptions& options = {},
                                      const MethodOptions& method_options = {}) const {
    return make({manifold, formulation, options, method_options});
  }
  std::unique_ptr<Integrator<T>> make(MethodRequest<T> request) const;
};

/// The formulation of a method for a system: the first of its sheet, or `equations` where there are no coordinates.
/// @throws std::invalid_argument if the method needs coordinates that the system does not have.
std::string default_formulation(const MethodFacts& facts, const Elements& elements);

/// Every family of methods that the program has; adding one is a line here.
template <class T>
const std::vector<MethodFamily<T>>& method_families();

/// The members of all families: what is listed and measured.
template <class T>
const std::vector<Method<T>>& methods();

/// The method of that name, which need not be among methods(): compose:6(gauss:3).
/// @throws std::invalid_argument if there is none: UnknownName for a word that is not known.
template <class T>
Method<T> find_method(std::string_view name);

}  // namespace cotangent
