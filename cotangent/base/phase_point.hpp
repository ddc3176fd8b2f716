#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// Adds an increment and what was lost before it; keeps what is lost now [kahan65]. Returns the rounded sum.
template <class T>
inline T add_compensated(const T& x, const T& increment, T& low) {
  const T d = increment + low;
  const T sum = x + d;
  low = d - (sum - x);
  return sum;
}

/// A point (q, p) of phase space at time t, with what rounding has lost so far.
///
/// Steps add small increments to large numbers; the part that does not fit is kept in q_low and p_low and goes into
/// the next increment (compensated summation), so that over many steps rounding errors grow like a random walk.
/// The point is q + q_low, p + p_low; constraints hold for the rounded q and p.
///
/// s are the states beside the coordinates, followed by the work done where a system has it: see System::state_count().
template <class T>
struct PhasePoint {
  PhasePoint() = default;
  explicit PhasePoint(std::int64_t n, std::int64_t states = 0)
      : q(static_cast<std::size_t>(n), T(0)),
        p(q),
        s(static_cast<std::size_t>(states), T(0)),
        q_low(q),
        p_low(q),
        s_low(s) {}

  std::vector<T> q, p, s;
  std::vector<T> q_low, p_low, s_low;
  LaneOf<T> t = 0, t_low = 0;

  /// The time after a step of length h, compensated like everything else: after k steps it is k h to the last bit or
  /// two.
  LaneOf<T> time_after(LaneOf<T> h) const {
    LaneOf<T> low = t_low;
    return add_compensated(t, h, low);
  }
  void advance_time(LaneOf<T> h) { t = add_compensated(t, h, t_low); }
};

/// Where a function is evaluated: the arguments of a point, without owning them.
template <class T>
struct PointRef {
  PointRef(const T* q_, const T* p_, const T* s_, const T& t_) : q(q_), p(p_), s(s_), t(t_) {}
  PointRef(const PhasePoint<T>& z) : q(z.q.data()), p(z.p.data()), s(z.s.data()), t(z.t) {}

  const T *q, *p, *s;
  T t;
};

}  // namespace cotangent
