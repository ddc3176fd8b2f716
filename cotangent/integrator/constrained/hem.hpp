#pragma once

#include <vector>

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

/// The coefficients of a half-explicit method: a_21; a_31, a_32; ...; b_1, ..., b_s. The c_i are the sums of rows.
using HalfExplicitTableau = std::vector<std::vector<Quad>>;

/// @param order 3, 4 or 5
HalfExplicitTableau hem_tableau(int order);

/// A half-explicit Runge-Kutta method on the constrained equations in the form of Gear, Gupta and Leimkuhler,
///
///   q' = v - H_pp G' mu,   p' = F - G' lambda,   0 = g,   0 = psi,       v = H_p,  F = -H_q + forces
///
/// in which mu vanishes. Explicit in v and F; the multipliers of a stage are those with which the next one, or the end
/// of the step, is on the manifold: for i = 2 .. s + 1, with a_{s+1,j} = b_j,
///
///   Q_i = q + h sum_{j<i} a_ij (v_j - H_pp G' mu_j),     mu_{i-1}      from 0 = g(Q_i, t_i)
///   P_i = p + h sum_{j<i} a_ij (F_j - G' lambda_j),      lambda_{i-1}  from 0 = psi(Q_i, P_i, t_i)
///
/// with Newton's method and K = G(Q_i) H_pp G(Q_{i-1})'. States are explicit. Neither symmetric nor symplectic: what
/// methods that are should be compared with.
///
///   hem3   3 stages, order 3
///   hem4   5 stages, order 4
///   hem5   8 stages, order 5
///
/// Reference: [brasey-hairer93].
SchemeFamily hem(int order);

}  // namespace cotangent
