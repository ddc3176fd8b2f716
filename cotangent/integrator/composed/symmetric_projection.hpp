#pragma once

#include <string>

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

/// Hairer's symmetric projection of a symmetric one-step method Phi_h, with z = (q, p) and c = (g, psi): leave the
/// manifold, make a step, and return to it by the same multipliers mu = (mu_1, mu_2):
///
///   z~  = z + N(z) mu,    Z~ = Phi_h(z~),    Z = Z~ + N(Z) mu,     mu from 0 = c(Z)
///
///   N(z) mu = (H_pp G' mu_1, G' mu_2)       at z, with its t
///
/// so that c' N = ((R, 0), (.., R)) with R = G H_pp G' is regular, in whatever units q and p are. Exchanging the ends
/// and h by -h changes nothing but the sign of mu: the map is symmetric. It has the order of Phi_h, and both
/// constraints hold. It is not symplectic, even where Phi_h is.
///
/// Phi_h is any method in q and p; off the manifold it follows the field of its formulation. mu and the shift
/// d = N(Z) mu are solved for together, from the equations r = d - N(Z) mu, c(Z) = 0, with the preconditioner
///
///   R a = g - G r_q,   2 R dmu_2 = psi - psi'[(r_q + H_pp G' a, r_p)],   2 dmu_1 + h dmu_2 = a,   dd = r + N dmu
///
/// at z: mu acts twice, and what mu_2 does to p moves q during the step. It leaves an error of O(h), so that few steps
/// of Phi_h are needed.
///
/// References: [hairer00]; [hlw06, V.4.1].
/// @param method what is projected.
SchemeMethod symmetric_projection(const std::string& name, const MethodFacts& method);

}  // namespace cotangent
