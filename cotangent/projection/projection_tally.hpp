#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/projection/relaxation_tally.hpp"
#include "cotangent/projection/scaling_tally.hpp"

namespace cotangent {

/// How far projections have moved points, in the largest of |dq_j|, of |dp_j| and of |ds_j|.
template <class T>
struct Displacement {
  T q = T(0), p = T(0), s = T(0);

  static Displacement between(const PhasePoint<T>& before, const PhasePoint<T>& after) {
    const auto measure = [](const std::vector<T>& old, const std::vector<T>& now) {
      T moved(0);
      for (std::size_t j = 0; j < now.size(); ++j) moved = max(moved, abs(now[j] - old[j]));
      return moved;
    };
    return {measure(before.q, after.q), measure(before.p, after.p), measure(before.s, after.s)};
  }

  void state(Archive& archive) {
    archive("q", q);
    archive("p", p);
    archive("s", s);
  }
};

inline void ScalingTally::state(Archive& archive) {
  archive("points", points, "fallbacks", fallbacks);
  archive("first_fallback", first_fallback, "condition", condition);
}

/// What projections have done in a run, whoever makes them.
template <class T>
struct ProjectionTally {
  std::int64_t count = 0;          ///< points projected, lanes of a batch counted once
  Displacement<T> largest, total;  ///< by one of them at most, and by all of them
  ScalingTally scaling;
  RelaxationTally<T> relaxation;

  void state(Archive& archive) {
    archive("count", count);
    archive("largest", largest);
    archive("total", total);
    archive("scaling", scaling);
    archive("relaxation", relaxation);
  }

  /// A point was projected in these lanes.
  void add(const Displacement<T>& moved, const Mask<T>& projected) {
    ++count;
    const auto include = [&](const T& by, T& most, T& all) {
      const T here = select(projected, by, T(0));
      most = max(most, here);
      all += here;
    };
    include(moved.q, largest.q, total.q);
    include(moved.p, largest.p, total.p);
    include(moved.s, largest.s, total.s);
  }
};

}  // namespace cotangent
