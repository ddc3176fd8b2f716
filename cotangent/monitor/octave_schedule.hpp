#pragma once

#include <algorithm>
#include <cstdint>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// Picks about six steps in each octave of their number: 1, 2, ..., 16, 18, 20, ...: few of a long run, many of a
/// short one.
class OctaveSchedule {
 public:
  /// Counts a step. @return whether it is picked.
  bool operator()() {
    if (++steps_ < next_) return false;
    next_ = steps_ + std::max<std::int64_t>(1, steps_ / 8);
    return true;
  }

  void state(Archive& archive) {
    archive("steps", steps_);
    archive("next", next_);
  }

 private:
  std::int64_t steps_ = 0, next_ = 1;
};

}  // namespace cotangent
