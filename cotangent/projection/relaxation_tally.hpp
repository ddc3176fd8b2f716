#pragma once

#include <cstdint>

namespace cotangent {

/// What relaxations have come to, see Relaxation.
template <class T>
struct RelaxationTally {
  std::int64_t points = 0;     ///< at which a change of the step was sought
  std::int64_t fallbacks = 0;  ///< of them without a root: projected to the nearest point
  double first_fallback = 0;   ///< when
  T change = T(0);             ///< |gamma_k|, the largest

  /// @param archive an Archive; a user of the library does not need to know it.
  void state(auto& archive) {
    archive("points", points, "fallbacks", fallbacks);
    archive("first_fallback", first_fallback, "change", change);
  }
};

}  // namespace cotangent
