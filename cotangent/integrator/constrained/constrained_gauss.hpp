#pragma once

#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// Gauss collocation with s stages on the constrained equations, for any H(q, p, t), with forces, states beside the
/// coordinates, and constraints g(q, t) = 0 that may move. Velocities and forces act at the nodes of Gauss, constraints
/// at the s + 1 nodes of Lobatto's quadrature.
///
/// One step (q, p, u) at t -> (Q̂_s, P, U), with F = -H_q + forces, r the rates of the states u, t_j = t + c_j h and
/// t̂_k = t + ĉ_k h; the coefficients are those of GaussLobattoTableau:
///
///   Q_i = q + h sum_j a_ij v_j,                               v_j = H_p(Q_j, P_j, t_j)              i = 1 .. s
///   Q̂_k = q + h sum_j ā_kj v_j,                               Q̂_0 = q                               k = 1 .. s
///   P_i = p + h sum_j a_ij F_j - h sum_k â_ik G(Q̂_k, t̂_k)' lambda_k
///   U_i = u + h sum_j a_ij r_j
///   0   = g(Q̂_k, t̂_k)                                                                               k = 1 .. s
///
///   P   = p + h sum_j b_j F_j - h sum_k b̂_k G(Q̂_k, t̂_k)' lambda_k,   lambda_s from 0 = G(Q̂_s, t') H_p(Q̂_s, P, t') +
///   g_t U   = u + h sum_j b_j r_j
///
/// Order 2 s, symmetric, and symplectic on the manifold where there are no forces: there are no charts whose change
/// would make another map of it. With one stage it is the implicit midpoint rule between two kicks along G', as RATTLE
/// is the Störmer-Verlet method between them. Since â_is = 0 the last multiplier has no effect but on P.
///
/// Where F or r depend on multipliers these are at t_j the polynomial through lambda_0 .. lambda_s. The last one then
/// is an unknown like the others, and its equation one of those of the stages. The work of constraints that move is
/// h sum_k b̂_k lambda_k'g_t: the time is treated as a coordinate, the work as its momentum.
///
/// The stages x = (Q_i - q, P_i - p, lambda_k, U_i - u) are found by FixedPoint, with the preconditioner that the
/// derivative of the equations tends to for small h:
///
///   dQ_i - h sum_j a_ij W dP_j = ..,   dP_i + h sum_k â_ik G' dlambda_k = ..,   h sum_j ā_kj G W dP_j = ..,   W = H_pp
///
/// with G and W in the middle of the step. With the invertible matrix M = (sum_j ā_ij â_jk), i = 1 .. s, k = 0 .. s -
/// 1, its multipliers are dlambda = (M^-1 x R^-1) .. / h^2, R = G W G': one factorisation of the sparse R in each step,
/// s solves in each iteration, and no other matrix.
///
/// The iteration starts from the polynomials through velocities, forces and multipliers of the step before.
///
/// For systems with constraints. References: [jay07]; [jay96].
scheme::WriteStep constrained_gauss(int stages);

}  // namespace cotangent
