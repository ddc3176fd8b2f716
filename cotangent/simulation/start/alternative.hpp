#pragma once

#include "cotangent/model/model.hpp"

namespace cotangent {

/// How far the alternative Hamiltonian is from H on the constraint manifold: the largest differences found.
struct AlternativeReport {
  int points = 0;
  double energy = 0, velocity = 0, force = 0;  ///< |H~ - H|, |H~_p - H_p|, |p~' - p'|
};

/// H is determined on the constraint manifold only: terms that vanish there may be added [seiler99, eq. 52]. Checks at
/// the initial data, and at consistent points near them, that H~ is such a Hamiltonian,
///
///   H~ = H,   H~_p = H_p,   p' = F - G' lambda the same for both,   where g = 0 and psi = G H_p + g_t = 0.
///
/// Equal values are not enough: H~ = H + psi moves q along H_pp G'.
///
/// @pre model.alternative is valid.
/// @throws ModelError at the alternative where one of them fails: with the difference and the point.
AlternativeReport check_alternative(const Model& model);

/// The model with H~ in place of H.
Model with_alternative(const Model& model);

}  // namespace cotangent
