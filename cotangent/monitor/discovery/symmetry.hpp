#pragma once

#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A quantity that the exact motion keeps.
struct ConservedMomentum {
  std::string name;        ///< "angular momentum about z"
  std::string expression;  ///< as it would stand in [invariants]
  bool is_local = false;   ///< known near the initial data only: it is not kept on all pieces of the model
};

struct Symmetries {
  bool were_sought = false;  ///< false where the system is too large to look, or no points were found to look at
  std::vector<ConservedMomentum> momenta;
};

/// The linear combinations of momentum_candidates() that the motion conserves, found by numbers: J is kept if, on the
/// constraint manifold,
///
///   J_q.v + J_p.F = 0  and  G J_p = 0,   v = H_p,  F = -H_q + forces,
///
/// because p' = F - G' lambda. Both are linear in J; evaluated at more random points near z than there are candidates,
/// their common null space is that of the symmetries. A combination is taken as zero at about 1e-10 of its terms.
///
/// Of smooth functions that is known everywhere: what is zero at points chosen by chance is zero identically. A model
/// with if, abs, max, ... is a different one elsewhere, where no point may be: what it keeps on all of its pieces is
/// what its blended functions keep (pieces.hpp). The rest is known near z only.
Symmetries find_symmetries(const Model& model, Manifold<Quad>& manifold, const PhasePoint<Quad>& z);

}  // namespace cotangent
