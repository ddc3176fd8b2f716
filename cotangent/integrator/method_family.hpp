#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/method_name.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// How the equations of an implicit method are solved; in the end always to rounding.
enum class StageSolver : std::uint8_t {
  automatic,   ///< functional iteration where it converges fast, Newton's method otherwise
  functional,  ///< functional iteration only
  newton,      ///< Newton's method from the first iteration on
};

/// The freedom that methods have beside their names.
struct MethodOptions {
  StageSolver solver = StageSolver::automatic;
};

/// Methods that differ by arguments, such as gauss:1, gauss:2, ...
template <class T>
struct MethodFamily {
  std::string word;                  ///< what their names begin with
  std::string pattern;               ///< of their names: "gauss:S"
  std::vector<std::string> members;  ///< those that are listed and measured

  /// What a member claims. @throws std::invalid_argument if there is no such member.
  MethodFacts (*facts)(const MethodName& name);

  /// @throws std::invalid_argument if it does not apply to the system: which condition failed, what to use instead.
  std::unique_ptr<Integrator<T>> (*make)(const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                                         const FormulationOptions& options, const MethodOptions& method_options);
};

}  // namespace cotangent
