#pragma once

#include <cmath>

namespace cotangent {

/// From the start of a run to its end. Time goes backwards where the end is before the start: lengths are positive, and
/// steps have the sign of the way.
struct TimeSpan {
  double start = 0, end = 0;

  double length() const { return std::abs(end - start); }
  double sign() const { return end < start ? -1 : 1; }
  /// The time at which that much has passed since the start.
  double time_after(double elapsed) const { return start + sign() * elapsed; }

  /// Whether a run meets a before b.
  template <class T>
  bool is_before(const T& a, const T& b) const {
    return end < start ? b < a : a < b;
  }
};

}  // namespace cotangent
