#pragma once

#include <string>
#include <vector>

#include "cotangent/base/quad.hpp"

namespace cotangent {

/// Numbers for all entries of a coordinate, its momenta or velocities, or of a state, in the place of its initial
/// values: the first index runs fastest.
struct InitialTable {
  std::string name;  ///< "x", "p_r"
  std::vector<Quad> values;

  bool operator==(const InitialTable&) const = default;
};

}  // namespace cotangent
