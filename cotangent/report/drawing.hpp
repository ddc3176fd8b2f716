#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A picture whose paths are lists of points by their numbers.
struct Drawing {
  using Paths = std::vector<std::vector<std::int64_t>>;

  Picture picture;  ///< its points and bodies, and how one looks at them
  Paths rods, lines, polygons, trails;
  bool is_stated = true;  ///< not derived

  /// Numbers of a frame: the components of the points, then those of the bodies.
  std::int64_t numbers = 0, point_count = 0;
};

/// The picture that a model states.
Drawing stated_drawing(const Model& model);

/// The picture that coordinates and constraints suggest, where a model states none:
///
///   points    arrays whose last index runs over 2 or 3 components, r[N,3], and coordinates named x, y, z, with
///             whatever follows these letters
///   rods      constraints |a - b|^2 = const and |a - f|^2 = const, with a point f at rest that is found:
///             there the rows of G = dg/dq are s (a - b), -s (a - b), and 2 s (a - f) with a number s
///
/// Nothing where there are no such points.
/// @param model whose graph may grow. @param z a point with g(q) = 0.
template <class T>
std::optional<Drawing> derived_drawing(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z);

}  // namespace cotangent
