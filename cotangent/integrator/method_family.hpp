#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/method_name.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/solve/fixed_point_solver.hpp"

namespace cotangent {

/// The freedom that methods have beside their names.
struct MethodOptions {
  FixedPointSolver solver = FixedPointSolver::automatic;  ///< of the equations of implicit methods

  bool operator==(const MethodOptions&) const = default;
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
  std::function<std::unique_ptr<Integrator<T>>(const MethodName& name, Manifold<T>& manifold,
                                               std::string_view formulation, const FormulationOptions& options,
                                               const MethodOptions& method_options)>
      make;

  // What is said of all of them together; where it is empty the first member speaks for them.
  std::string order = {};  ///< "2..24"
  std::string description = {};
};

}  // namespace cotangent
