#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// Up to ten levels a figure may be rounding errors: they are of many operations, and the level is measured now and
/// then. Beyond a thousand it is something else. Between them the figure decides nothing.
inline constexpr double kNearLevel = 10, kFarAbove = 1000;

/// The rounding level of a signal, measured now and then: what rounding errors of one step do to it.
class Levels {
 public:
  Levels() = default;
  /// The same at all times.
  explicit Levels(double level) { add(0, level); }

  /// Memory for that many; add() allocates beyond it only.
  void reserve(std::size_t count) {
    times_.reserve(count);
    levels_.reserve(count);
  }

  /// Times increase.
  void add(double t, double level) {
    levels_.push_back(levels_.empty() ? level : std::max(level, levels_.back()));
    times_.push_back(t);
  }

  /// The largest that was measured up to the first time that is not before t: numbers that become large later do not
  /// excuse what was before.
  double at(double t) const {
    if (times_.empty()) return 0;
    const auto place = std::lower_bound(times_.begin(), times_.end() - 1, t) - times_.begin();
    return levels_[static_cast<std::size_t>(place)];
  }

  /// What rounding errors come to that many steps later: a random walk.
  double at(double t, double steps) const { return at(t) * std::sqrt(std::max(1.0, steps)); }

  bool empty() const { return times_.empty(); }
  void state(Archive& archive) {
    archive("times", times_);
    archive("levels", levels_);
  }

 private:
  std::vector<double> times_, levels_;
};

}  // namespace cotangent
