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

/// Adds an increment and what was lost before it; keeps what is lost now [kahan65]. Returns the rounded sum.
template <class T>
inline T add_compensated(const T& x, const T& increment, T& low) {
  const T d = increment + low;
  const T sum = x + d;
  low = d - (sum - x);
  return sum;
}

/// What a formulation integrates in place of (q, p), in two halves, with what rounding has lost of them: see
/// formulation.hpp.
template <class T>
struct OwnVariables {
  std::vector<T> q, p;
  std::vector<T> q_low, p_low;
  std::uint64_t revision = 0;  ///< of the point that they belong to
  std::uint64_t owner = 0;     ///< the formulation that they belong to, see Formulation::owns()
  std::int64_t steps = 0;      ///< that their owner has made with the point
};

/// What a method keeps of the trajectory that a point belongs to: see Integrator::begin. It is part of the trajectory,
/// and not a guess that could be made again.
template <class T>
struct Memory {
  std::vector<T> numbers;
  std::vector<std::int64_t> counts;
};

/// A point (q, p) of phase space at time t, with what rounding has lost so far.
///
/// Steps add small increments to large numbers; the part that does not fit is kept in q_low and p_low and goes into
/// the next increment (compensated summation), so that over many steps rounding errors grow like a random walk.
/// The point is q + q_low, p + p_low; constraints hold for the rounded q and p.
///
/// A formulation in variables of its own leaves them in `own` for the next step. They count as long as their revision
/// is that of the point; after a projection, say, they are made anew from q and p.
///
/// s are the states beside the coordinates, followed by the work done where a system has it: see System::state_count().
template <class T>
struct PhasePoint {
  PhasePoint() : revision(unique_revision()) {}
  explicit PhasePoint(std::int64_t n, std::int64_t states = 0)
      : q(static_cast<std::size_t>(n), T(0)),
        p(q),
        s(static_cast<std::size_t>(states), T(0)),
        q_low(q),
        p_low(q),
        s_low(s),
        revision(unique_revision()) {}

  std::vector<T> q, p, s;
  std::vector<T> q_low, p_low, s_low;
  LaneOf<T> t = 0, t_low = 0;
  OwnVariables<T> own;
  Memory<T> memory;

  /// The time after a step of length h, compensated like everything else: after k steps it is k h to the last bit or
  /// two.
  LaneOf<T> time_after(LaneOf<T> h) const {
    LaneOf<T> low = t_low;
    return add_compensated(t, h, low);
  }
  void advance_time(LaneOf<T> h) { t = add_compensated(t, h, t_low); }

  /// Two points with the same revision have the same q, p and s: integrators keep what they computed at the end of a
  /// step for the beginning of the next, if the point is still the same. Whoever changes the point calls touch().
  std::uint64_t revision;
  void touch() { revision = unique_revision(); }
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
