#pragma once

#include <algorithm>
#include <cstdint>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// Picks steps of a run to look at closely: about six in each octave of their number, 1, 2, ..., 16, 18, 20, ...; the
/// fewer the larger the system is, one in each octave where a point has 1024 numbers. The clock has no say: two runs
/// pick the same steps.
class OctaveSchedule {
 public:
  /// @param size numbers of a point.
  explicit OctaveSchedule(std::int64_t size = 0) : size_(std::max(kOnce / 8, size)) {}

  /// Counts a step. @return whether it is picked.
  bool operator()() {
    if (++steps_ < next_) return false;
    next_ = steps_ + std::max<std::int64_t>(1, steps_ / kOnce * size_ + steps_ % kOnce * size_ / kOnce);
    return true;
  }

  void state(Archive& archive) {
    archive("steps", steps_);
    archive("next", next_);
  }

 private:
  static constexpr std::int64_t kOnce = 1024;

  std::int64_t size_;
  std::int64_t steps_ = 0, next_ = 1;
};

}  // namespace cotangent
