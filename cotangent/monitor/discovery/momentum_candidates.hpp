#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// A function of q and p that is conserved if a shift or a turn of some coordinates changes nothing:
///
///   sum_i p_i                  over `shifted`
///   sum_ij (q_i p_j - q_j p_i)   over `turned`
struct MomentumCandidate {
  enum class Kind : std::uint8_t { linear, angular };

  Kind kind;
  std::string axis;        ///< that it is along or about: "x", "z"; empty for a turn of a plane
  std::string coordinate;  ///< of a shift that has no axis: its name
  std::string expression;  ///< as it would stand in [invariants]
  std::vector<std::int64_t> shifted = {};
  std::vector<std::pair<std::int64_t, std::int64_t>> turned = {};

  /// "linear momentum along x", "angular momentum about z", "momentum of phi".
  std::string name() const;
};

/// The shifts and turns that the names and shapes of the coordinates suggest: points of a plane or of space are
/// r[N,3], b[2] (the last index is the component) or x, y, z, x1, y1, x[N], y[N] (names that differ by that letter; one
/// that differs from no other must be the letter, as x or z2: `dummy` has no axis).
/// A square matrix may moreover be turned from its other side. Each array or group of names makes candidates of its
/// own.
std::vector<MomentumCandidate> momentum_candidates(const Model& model);

}  // namespace cotangent
