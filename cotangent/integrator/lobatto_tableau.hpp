#pragma once

#include <vector>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// The nodes of Lobatto's quadrature on [0, 1]: both ends, and the zeros of the derivative of the Legendre polynomial
/// of degree s - 1.
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

/// Lobatto IIIC: a_i1 = b_1, and the other a_ij such that sum_j a_ij f(c_j) = int_0^{c_i} f for polynomials f of degree
/// s - 2. L-stable; a_sj = b_j.
///
/// Reference: [hairer-wanner96, IV.5].
ImplicitTableau lobatto_iiic_tableau(int stages);

/// All of them have order 2 s - 2; IIIA and IIIB are symmetric.
/// @param kind "IIIA", "IIIB" or "IIIC"
MethodFacts lobatto_facts(const char* kind, int stages, const std::string& name);

}  // namespace cotangent
