#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// A rounding level that grows with what is watched: the largest so far, known at some times. A run that explodes has
/// large numbers at its end, and with them large rounding errors; they say nothing about what was before.
class LevelHistory {
 public:
  LevelHistory() = default;
  /// The same at all times.
  explicit LevelHistory(double level) { add(0, level); }

  /// So many are added without allocation.
  void reserve(std::size_t count) { entries_.reserve(count); }
  void clear() {
    entries_.clear();
    latest_ = 0;
  }

  /// Times increase. A level that is not a number is infinite.
  void add(double t, double level) {
    latest_ = level;
    const double largest = entries_.empty() ? level : std::max(entries_.back().level, level);
    entries_.push_back({t, level == level ? largest : std::numeric_limits<double>::infinity()});
  }

  /// The largest up to t; of times in between, up to the next that is known.
  double at(double t) const {
    const auto next = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.t >= t; });
    return next == entries_.end() ? last() : next->level;
  }
  double first() const { return entries_.empty() ? 0 : entries_.front().level; }
  double last() const { return entries_.empty() ? 0 : entries_.back().level; }
  /// The one that was added last, be it smaller than those before.
  double latest() const { return latest_; }

  void state(Archive& archive) {
    archive("entries", entries_);
    archive("latest", latest_);
  }

 private:
  struct Entry {
    double t = 0, level = 0;

    void state(Archive& archive) {
      archive("t", t);
      archive("level", level);
    }
  };
  std::vector<Entry> entries_;
  double latest_ = 0;
};

}  // namespace cotangent
