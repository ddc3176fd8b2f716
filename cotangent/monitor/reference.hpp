#pragma once

#include <optional>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/monitor/follower.hpp"

namespace cotangent {

/// A solution that a run is held against: an exact one, a record, or one with shorter steps.
template <class T>
class Reference : public Follower<T> {
 public:
  void start(const PhasePoint<T>& /*z*/, LaneOf<T> /*h*/) override {}
  void follow(const MadeStep<T>& /*step*/) override {}

  /// The largest difference in a coordinate, a momentum or a state that the reference knows at the time of z; nothing
  /// where it knows none. Does not allocate.
  virtual std::optional<T> error(const PhasePoint<T>& z) = 0;
};

/// The largest |x_j - y_j|; not a number where one of them is none.
template <class T>
T largest_difference(const std::vector<T>& x, const std::vector<T>& y) {
  T largest(0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const T change = abs(x[j] - y[j]);
    largest = select((largest < change) | (change != change), change, largest);
  }
  return largest;
}

}  // namespace cotangent
