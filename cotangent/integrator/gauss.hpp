#pragma once

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// Collocation at the zeros c_i of the shifted Legendre polynomial of degree s: order 2 s, symmetric, symplectic, and
/// quadratic first integrals of the field are conserved. For s = 1 the implicit midpoint rule.
///
/// Reference: [hlw06, section II.1.3].
/// @param name under which they are listed: gauss:1 is implicit-midpoint, too.
MethodFacts gauss_facts(int stages, const std::string& name);
ImplicitTableau gauss_tableau(int stages);

}  // namespace cotangent
