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
  void reserve(std::size_t count) { measured_.reserve(count); }

  /// Times increase.
  void add(double t, double level) {
    if (!measured_.empty()) level = std::max(level, measured_.back().level);
    measured_.push_back({t, level});
  }

  /// The largest that was measured up to the first time that is not before t: numbers that become large later do not
  /// excuse what was before.
  double at(double t) const {
    const auto place = std::lower_bound(measured_.begin(), measured_.end(), t,
                                        [](const Measured& one, double time) { return one.t < time; });
    if (place != measured_.end()) return place->level;
    return measured_.empty() ? 0 : measured_.back().level;
  }

  /// What rounding errors come to that many steps later: a random walk.
  double at(double t, double steps) const { return at(t) * std::sqrt(std::max(1.0, steps)); }

  bool empty() const { return measured_.empty(); }
  void clear() { measured_.clear(); }
  void state(Archive& archive) { archive("measured", measured_); }

 private:
  struct Measured {
    double t, level;
    void state(Archive& archive) {
      archive("t", t);
      archive("level", level);
    }
  };
  std::vector<Measured> measured_;
};

}  // namespace cotangent
