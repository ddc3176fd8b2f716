#pragma once

#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// The last kick of a step whose position is known, at the time t:
///
///   P = p + kick - G(Q, t)' m,     m from 0 = psi(Q, P, t) = G(Q, t) H_p(Q, P, t) + g_t
///
/// by Newton's method, whose matrix is R = G H_pp G'; one solve where H is quadratic in p.
struct MomentumKick {
  scheme::Sum P;
  scheme::Vec m;
};

MomentumKick momentum_kick(const scheme::Writer& w, scheme::Vec Q, const scheme::Sum& p, scheme::Vec kick,
                           scheme::Num t);

}  // namespace cotangent
