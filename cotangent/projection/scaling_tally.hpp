#pragma once

#include <cstdint>

namespace cotangent {

class Archive;

/// What scalings have come to, see ScalingProjection.
struct ScalingTally {
  std::int64_t points = 0;     ///< at which factors were sought
  std::int64_t fallbacks = 0;  ///< of them without a root: projected to the nearest point
  double first_fallback = 0;   ///< when
  double condition = 0;        ///< the largest

  void state(Archive& archive);
};

}  // namespace cotangent
