#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/elements/elements.hpp"
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

  /// What is to be told after a run that could not be held against it to the end; empty if it could.
  virtual std::string remark() const { return {}; }

  /// Of a run beside the run: how many steps it has made in place of each one; 1 for others.
  virtual double refinement() const { return 1; }
};

/// The larger of two; the second also where it is not a number.
template <class T>
T larger(const T& largest, const T& x) {
  return select((largest < x) | (x != x), x, largest);
}

/// The largest |x_j - y_j| of the first `count`; not a number where one of them is none.
template <class T>
T largest_difference(const std::vector<T>& x, const std::vector<T>& y,
                     std::size_t count = std::numeric_limits<std::size_t>::max()) {
  T largest(0);
  for (std::size_t j = 0; j < std::min(count, x.size()); ++j) largest = larger(largest, T(abs(x[j] - y[j])));
  return largest;
}

/// The largest difference in a coordinate, a momentum or a state; the work done, the last of the states, is no part of
/// the solution.
template <class T>
T solution_difference(const PhasePoint<T>& z, const PhasePoint<T>& other, const Elements& elements) {
  return max(max(largest_difference(z.q, other.q), largest_difference(z.p, other.p)),
             largest_difference(z.s, other.s, static_cast<std::size_t>(elements.states)));
}

/// What a finer run has to say that could not be made beyond t.
inline std::string lost_remark(double t) {
  return fmt::format("'error' is not known after t = {:g}: a step of the finer run could not be made", t);
}

}  // namespace cotangent
