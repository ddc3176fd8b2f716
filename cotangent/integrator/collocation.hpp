#pragma once

#include <vector>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// P_s(x) on [-1, 1] and its derivatives.
struct LegendreValue {
  Quad value, slope, curvature;
};
LegendreValue legendre_polynomial(int s, Quad x);

/// The collocation method with the nodes c_i:
///
///   a_ij = int_0^{c_i} l_j,   b_j = int_0^1 l_j,    l_j the Lagrange polynomials of the c_i
///
/// Reference: [hlw06, section II.1.2].
ImplicitTableau collocation_tableau(std::vector<Quad> c);

}  // namespace cotangent
