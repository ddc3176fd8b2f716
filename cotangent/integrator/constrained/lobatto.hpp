#pragma once

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

/// The partitioned Runge-Kutta method Lobatto IIIA-IIIB with s stages on the constrained equations, for any H(q, p, t),
/// with forces, states beside the coordinates, and constraints g(q, t) = 0 that may move.
///
/// One step (q, p, u) at t -> (Q_s, P, U), with F = -H_q + forces, r the rates of the states u, t_i = t + c_i h:
///
///   Q_i = q + h sum_j a_ij H_p(Q_j, P_j, t_j)                                         i = 2 .. s,   Q_1 = q
///   P_i = p + h sum_j â_ij f_j,   f_j = F(Q_j, P_j, U_j, t_j, lambda_j) - G(Q_j, t_j)' lambda_j     i = 1 .. s
///   U_i = u + h sum_j â_ij r_j,   r_j = r(Q_j, P_j, U_j, t_j, lambda_j)
///   0   = g(Q_i, t_i)                                                                 i = 2 .. s
///
///   P   = p + h sum_j b_j f_j,    lambda_s from 0 = G(Q_s, t') H_p(Q_s, P, t') + g_t
///   U   = u + h sum_j b_j r_j
///
/// (a_ij) is Lobatto IIIA and (â_ij) Lobatto IIIB, of which the last column is zero. Order 2 s - 2, symmetric, and
/// symplectic on the manifold where there are no forces; with two stages it is RATTLE. The time is treated as a
/// coordinate, states as momenta.
///
/// The stages x = (Q_i - q, P_i - p, lambda_i, U_i - u) are found by FixedPoint, with the preconditioner that the
/// derivative of the equations tends to for small h:
///
///   dQ_i - h sum_j a_ij W dP_j = ..,   dP_i + h sum_j â_ij G' dlambda_j = ..,   G dQ_i = ..,   W = H_pp
///
/// with G and W in the middle of the step. With the invertible matrix M = (sum_j a_ij â_jk), i = 2 .. s, k = 1 .. s -
/// 1, its multipliers are dlambda = (M^-1 x R^-1) .. / h^2, R = G W G': one factorisation of the sparse R in each step,
/// s - 1 solves in each iteration, and no other matrix.
///
/// The iteration starts from the polynomials through the velocities, the forces and the multipliers of the step before.
///
/// References: [jay96]; [hlw06, VII.1.5].
SchemeFamily lobatto();

}  // namespace cotangent
