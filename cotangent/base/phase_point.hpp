#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A number that no other call, and no RevisionSource, in this process has returned.
std::uint64_t unique_revision();

/// Many such numbers, cheaply: for whoever changes a point in every step.
class RevisionSource {
 public:
  RevisionSource();
  std::uint64_t operator()() { return next_++; }

 private:
  std::uint64_t next_;
};

/// A point (q, p) of phase space at time t, with what rounding has lost so far.
///
/// Steps add small increments to large numbers; the part that does not fit is kept in q_low and p_low and goes into
/// the next increment (compensated summation), so that over many steps rounding errors grow like a random walk.
/// The point is q + q_low, p + p_low; constraints hold for the rounded q and p.
template <class T>
struct PhasePoint {
  PhasePoint() : revision(unique_revision()) {}
  explicit PhasePoint(std::int64_t n)
      : q(static_cast<std::size_t>(n), T(0)), p(q), q_low(q), p_low(q), revision(unique_revision()) {}

  std::vector<T> q, p;
  std::vector<T> q_low, p_low;
  LaneOf<T> t = 0;

  /// Two points with the same revision have the same q and p: integrators keep what they computed at the end of a step
  /// for the beginning of the next, if the point is still the same. Whoever changes q or p calls touch().
  std::uint64_t revision;
  void touch() { revision = unique_revision(); }
};

/// Adds an increment and what was lost before it; keeps what is lost now [kahan65]. Returns the rounded sum.
template <class T>
inline T add_compensated(const T& x, const T& increment, T& low) {
  const T d = increment + low;
  const T sum = x + d;
  low = d - (sum - x);
  return sum;
}

}  // namespace cotangent
