#pragma once

#include <string>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// Radau IIA: collocation at the zeros c_i of P_s - P_{s-1}, shifted to [0, 1], of which the last is 1. Order 2 s - 1,
/// L-stable: for stiff problems, where damping is welcome. For s = 1 the implicit Euler method.
///
/// Reference: [hairer-wanner96, IV.5].
MethodFacts radau_facts(int stages, const std::string& name);
ImplicitTableau radau_tableau(int stages);

}  // namespace cotangent
