#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/method_options.hpp"
#include "cotangent/integrator/registry/method_name.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// What a method is made for, and how.
template <class T>
struct MethodRequest {
  Manifold<T>& manifold;  ///< must outlive the method
  std::string_view formulation;
  const FormulationOptions& formulation_options;
  const MethodOptions& options;

  std::unique_ptr<Formulation<T>> make_formulation() const {
    return find_formulation<T>(formulation).make(manifold, formulation_options);
  }
};

/// Methods that differ by arguments, such as gauss:1, gauss:2, ...
template <class T>
struct MethodFamily {
  std::string word;                  ///< what their names begin with
  std::string pattern;               ///< of all their names: "gauss:1..12"
  std::vector<std::string> members;  ///< those that are measured

  /// What a member claims. @throws std::invalid_argument if there is no such member.
  std::function<MethodFacts(const MethodName& name)> facts;

  /// @throws std::invalid_argument if it does not apply to the system: which condition failed, what to use instead.
  std::function<std::unique_ptr<Integrator<T>>(const MethodName& name, const MethodRequest<T>& request)> make;

  // What is said of all of them together; where it is empty the first member speaks for them.
  std::string order = {};  ///< "2..24"
  std::string description = {};
};

}  // namespace cotangent
