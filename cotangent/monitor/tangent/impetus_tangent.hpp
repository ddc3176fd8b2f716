#pragma once

#include <vector>

#include "cotangent/base/point.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Tangent vectors (dq, dp) at a point that carries an impetus, lifted to (dq, dp*):
///
///   dp* = dp + (l.g)''[dq],     R l = G H_pp (p* - p),   R = G H_pp G'
///
/// These are the derivatives of p + G(q)'l where l has none; p* - G'l leads back to dp. Others differ by G'dl, which
/// changes neither the momentum nor, where G dq = 0, a wedge product. Those that are carried along have a dl that adds
/// up all of their past: it does not shrink where vectors do.
///
/// Reference: [dichmann-maddocks96].
class ImpetusTangent {
 public:
  /// @param manifold must outlive this.
  explicit ImpetusTangent(Manifold<Tangents>& manifold);

  /// The vectors of the variables q and p* of a point become those of its q and p. False, and they are what they were,
  /// if R is singular.
  [[nodiscard]] bool lift(Point<Tangents>& z);

 private:
  Manifold<Tangents>& manifold_;
  HiddenConstraint<Tangents> psi_;
  std::vector<Tangents> dq_, difference_, curvature_, l_;
};

}  // namespace cotangent
