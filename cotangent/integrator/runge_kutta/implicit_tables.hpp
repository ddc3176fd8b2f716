#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The coefficients of an implicit Runge-Kutta method.
struct ImplicitTableau {
  std::vector<std::vector<Quad>> a;  ///< square
  std::vector<Quad> b, c;
};

/// Collocation at the zeros c_i of the shifted Legendre polynomial of degree s: order 2 s, symmetric, symplectic, and
/// quadratic first integrals of the field are conserved. For s = 1 the implicit midpoint rule.
///
/// Reference: [hlw06, section II.1.3].
ImplicitTableau gauss_tableau(int stages);

/// Radau IIA: collocation at the zeros c_i of P_s - P_{s-1}, shifted to [0, 1], of which the last is 1. Order 2 s - 1,
/// L-stable: for stiff problems, where damping is welcome. For s = 1 the implicit Euler method.
///
/// Reference: [hairer-wanner96, IV.5].
ImplicitTableau radau_tableau(int stages);

/// The nodes of Lobatto's quadrature on [0, 1]: both ends, and the zeros of the derivative of the Legendre polynomial
/// of degree s - 1. The methods with these nodes have order 2 s - 2; IIIA and IIIB are symmetric.
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

/// A singly diagonally implicit Runge-Kutta method of order four with five stages, L-stable and stiffly accurate: its
/// stages are found one after the other.
///
/// Reference: [hairer-wanner96, IV.6, table 6.5].
ImplicitTableau sdirk4_tableau();

/// Gauss collocation for motions under constraints that act at the nodes ĉ_0 .. ĉ_s of Lobatto's quadrature, with its
/// weights b̂_k. Velocities at the nodes c_j lead to positions at ĉ_k by ā_kj, constraint forces at ĉ_k to momenta at
/// c_i by â_ik:
///
///   ā_kj = int_0^{ĉ_k} l_j,     b_i â_ik + b̂_k ā_ki = b_i b̂_k
///
/// with the Lagrange polynomials l_j of c. The second equation makes the method symplectic. ā_0j = 0 and ā_sj = b_j, so
/// that â_i0 = b̂_0 and â_is = 0.
///
/// Reference: [jay07].
struct GaussLobattoTableau {
  ImplicitTableau gauss;
  std::vector<std::vector<Quad>> a_bar, a_hat;
  std::vector<Quad> b_hat, c_hat;
};
GaussLobattoTableau gauss_lobatto_tableau(int stages);

/// Kahan's method for quadratic fields f, in which every product x y of f is replaced by its polarisation
/// (x Y + X y) / 2. It is a Runge-Kutta method,
///
///   Z = z + h (2 f((z + Z) / 2) - f(z) / 2 - f(Z) / 2),
///
/// symmetric and of order two. For Hamiltonians of degree three it has a first integral and an invariant measure, both
/// near the exact ones.
///
/// Reference: [celledoni-mclachlan-owren-quispel13].
ImplicitTableau kahan_tableau();

/// The average vector field method,
///
///   Z = z + h int_0^1 f((1 - x) z + x Z) dx,
///
/// with the integral by Gauss quadrature at S nodes: a Runge-Kutta method with a_ij = c_i b_j, symmetric and of order
/// two. Where f = J K' it keeps K: exactly if K is a polynomial of degree 2 S at most, and otherwise up to the error of
/// the quadrature, h^(2 S + 1) per step.
///
/// Reference: [quispel-mclaren08].
ImplicitTableau average_field_tableau(int nodes);

}  // namespace cotangent
