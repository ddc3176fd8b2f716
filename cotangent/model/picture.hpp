#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/named_values.hpp"

namespace cotangent {

/// What a picture of the motion shows, as [picture] states it. Points are numbered in the order of their families, the
/// instances of a family as those of its loops.
struct Picture {
  /// A family of points: vectors of 2 or 3 components.
  struct Points : NamedValues {
    std::optional<double> size = {};  ///< radius of their discs, in units of the model
    std::int64_t colour = 0;          ///< 1, 2, ...; 0: the usual one
  };

  /// A family of rigid bodies: vectors of the centre and of the axes of the body in space, one after the other; 6
  /// components in the plane, 12 in space.
  struct Body : NamedValues {
    std::vector<double> box = {};  ///< the lengths of its edges along the axes
    std::int64_t colour = 0;
  };

  /// Some consecutive points.
  struct Reference {
    Expr first;  ///< the number of the first one, from 0
    std::int64_t count = 1;
  };

  /// A way from point to point, for every instance of the loops.
  struct Path {
    std::vector<Loop> loops;
    std::vector<Reference> points;
  };

  std::vector<Points> points;
  std::vector<Body> bodies;
  std::vector<Path> rods, lines, polygons;
  std::vector<Path> trails;             ///< points that leave traces
  std::int64_t dimension = 2;           ///< 2 or 3
  std::optional<double> speed;          ///< units of time per second
  std::string up = "z";                 ///< the axis that points upwards, in space
  double azimuth = 30, elevation = 20;  ///< where one looks from, in degrees
};

}  // namespace cotangent
