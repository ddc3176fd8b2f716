#pragma once

#include <cstddef>
#include <vector>

namespace cotangent::peers {

/// Points on rods of length 1, linked by pins to each other and to the origin, which start stretched out horizontally.
struct SimbodyEnd {
  std::vector<double> points;  ///< positions and velocities: x_1 .. x_N, y_1 .. y_N, ...
  std::vector<double> angles;  ///< of the joints, and their rates
};

enum class SimbodyMethod { merson, fehlberg };

/// @param first_rate of the first joint; the others are at rest.
SimbodyEnd solve_by_simbody(std::size_t N, double first_rate, double end, SimbodyMethod method, double tolerance);

}  // namespace cotangent::peers
