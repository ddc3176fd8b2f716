#pragma once

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

/// SHAKE for H(q, p) = T(p) + V(q) with constraints g(q) = 0: the leapfrog scheme, whose momenta belong to the middles
/// of steps and are not projected. From (q, p') with p' of the step before, of length h':
///
///   p' <- p' - (h' + h)/2 H_q(q) - G(q)' l      kick;  l from 0 = g(Q)
///   Q   = q + h H_p(p')                         drift
///
/// The momentum that is given out at the end of a step is the physical one,
///
///   P   = p' - h/2 H_q(Q) - G(Q)' m,            m from 0 = G(Q) H_p(P)       (momentum_kick.hpp)
///
/// and nothing depends on it afterwards. At the beginning, or from a point that is not the end of the last step, p' =
/// p - h/2 H_q(q) - G(q)' l. Since p' differs from P by h/2 H_q(Q) and forces along G(Q)' only, which the next l makes
/// up for, both ways give the same Q: (q, p) -> (Q, P) is the map of RATTLE, up to rounding errors.
///
/// References: [ryckaert77]; [hlw06, VII.1.4]; the equivalence: [leimkuhler-skeel94].
SchemeFamily shake();

}  // namespace cotangent
