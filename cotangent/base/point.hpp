#pragma once

#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// The memory of a method at a point: guesses, and what it has computed there already. The method lays it out.
template <class T>
struct Memory {
  std::uint64_t owner = 0;              ///< Integrator::id() of that method
  int depth = 0;                        ///< how many steps it goes back, as far as that counts; 0: nothing is known
  LaneOf<T> h = 0, h_before = 0;        ///< the lengths of the last two steps
  std::vector<std::vector<T>> numbers;  ///< also those that belong to lanes, such as 1 where something is known

  /// Vectors of these sizes; does not allocate if they have them.
  void lay_out(std::initializer_list<std::size_t> sizes) {
    numbers.resize(sizes.size());
    std::size_t k = 0;
    for (const std::size_t size : sizes) numbers[k++].resize(size);
  }

  void state(Archive& archive) {
    archive("owner", owner, "depth", depth, "h", h, "h_before", h_before, "numbers", numbers);
  }
};

/// The variables that a formulation integrates in place of (q, p), in two halves, with what rounding has lost of them:
/// see formulation.hpp.
template <class T>
struct OwnVariables {
  std::vector<T> q, p;
  std::vector<T> q_low, p_low;
  bool is_current = false;               ///< they are those of the point; if not, q is a guess
  std::uint64_t owner = 0;               ///< Formulation::id()
  std::int64_t steps = 0;                ///< that their owner has made with the point
  std::vector<std::int64_t> chart = {};  ///< the key of the chart of the last step
  double quality = 1;                    ///< of that chart where it was chosen

  void state(Archive& archive) {
    archive("q", q, "q_low", q_low, "p", p, "p_low", p_low, "is_current", is_current);
    archive("owner", owner, "steps", steps, "chart", chart, "quality", quality);
  }
};

/// Numbers that methods keep of the trajectory that a point belongs to: see Integrator::begin.
template <class T>
struct Trajectory {
  std::vector<T> numbers;
  std::vector<std::int64_t> counts;

  void state(Archive& archive) { archive("numbers", numbers, "counts", counts); }
};

/// A point of a trajectory with all that a method needs to go on from there: a step is a function of it.
///
/// Whoever moves the point calls change(), and what was remembered of it is forgotten: it is as good as a new one.
/// The part that belongs to the trajectory stays: the values that invariants return to, how many steps were made, the
/// chart of the last step.
template <class T>
class Point {
 public:
  Point() = default;
  explicit Point(std::int64_t n, std::int64_t states = 0) : state_(n, states) {}
  Point(PhasePoint<T> state) : state_(std::move(state)) {}

  const PhasePoint<T>& state() const { return state_; }
  operator const PhasePoint<T>&() const { return state_; }
  operator PointRef<T>() const { return state_; }
  const PhasePoint<T>* operator->() const { return &state_; }

  /// The state, to be changed.
  PhasePoint<T>& change() {
    forget();
    return state_;
  }
  /// The state, to be changed by no more than rounding errors: nothing is forgotten.
  PhasePoint<T>& adjust() { return state_; }

  void forget() {
    memory_.depth = 0;
    own_.is_current = false;
  }

  /// The end of a step from z, before it is made: it has the size of z, and belongs to the same trajectory.
  PhasePoint<T>& begin_from(const Point& z) {
    forget();
    if (state_.q.size() != z.state_.q.size() || state_.s.size() != z.state_.s.size()) state_ = z.state_;
    trajectory_ = z.trajectory_;
    return state_;
  }

  /// The memory of a method; nothing if it was another one that has led here.
  const Memory<T>& memory(std::uint64_t owner) const { return memory_.owner == owner ? memory_ : kNothing; }
  static const Memory<T>& nothing() { return kNothing; }
  /// That of whatever method has led here.
  const Memory<T>& memory() const { return memory_; }
  Memory<T>& memory() { return memory_; }
  /// For the method that has led here.
  Memory<T>& remember(std::uint64_t owner) {
    memory_.owner = owner;
    return memory_;
  }

  const OwnVariables<T>& own() const { return own_; }
  OwnVariables<T>& own() { return own_; }
  const Trajectory<T>& trajectory() const { return trajectory_; }
  Trajectory<T>& trajectory() { return trajectory_; }

  /// Steps change places with this: std::swap would move everything three times.
  friend void swap(Point& a, Point& b) noexcept {
    auto x = a.parts(), y = b.parts();
    x.swap(y);
    if (a.own_.owner != 0 || b.own_.owner != 0) std::swap(a.own_, b.own_);
  }

  void state(Archive& archive) {
    archive("t", state_.t, "t_low", state_.t_low, "q", state_.q, "q_low", state_.q_low);
    archive("p", state_.p, "p_low", state_.p_low, "s", state_.s, "s_low", state_.s_low);
    archive("memory", memory_, "own", own_, "trajectory", trajectory_);
  }

 private:
  /// Everything but own variables.
  auto parts() {
    auto& [owner, depth, h, h_before, numbers] = memory_;
    return std::tie(state_.q, state_.p, state_.s, state_.q_low, state_.p_low, state_.s_low, state_.t, state_.t_low,
                    owner, depth, h, h_before, numbers, trajectory_.numbers, trajectory_.counts);
  }

  static const inline Memory<T> kNothing{};

  PhasePoint<T> state_;
  Memory<T> memory_;
  OwnVariables<T> own_;
  Trajectory<T> trajectory_;
};

}  // namespace cotangent
