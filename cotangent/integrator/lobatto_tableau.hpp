#pragma once

#include <vector>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// The nodes of Lobatto's quadrature on [0, 1]: both ends, and the zeros of the derivative of the Legendre polynomial
/// of degree s - 1. All digits of a Quad, but for the last two.
/// @param stages s >= 2
std::vector<Quad> lobatto_nodes(int stages);

/// Lobatto IIIA: collocation at these nodes; the first stage is the beginning of the step, the last one its end.
///
///   a_1j = 0,   a_sj = b_j
///
/// Reference: [hlw06, section II.1.2].
ImplicitTableau lobatto_iiia_tableau(int stages);

/// Lobatto IIIB, the method that makes a symplectic pair with IIIA:
///
///   b_i â_ij + b_j a_ji = b_i b_j;    â_i1 = b_1,   â_is = 0
///
/// Reference: [hlw06, sections II.2.2 and VI.4.2].
ImplicitTableau lobatto_iiib_tableau(int stages);

}  // namespace cotangent
