#pragma once

#include "cotangent/base/archive.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/base/point.hpp"

namespace cotangent {

/// A step of a run that counts, with what is needed to make the same one again.
template <class T>
struct MadeStep {
  const Point<T>& begin;
  const Point<T>& end;
  LaneOf<T> length;
  Interruption* interruption = nullptr;  ///< for those who take long; a null pointer: none can come

  /// @throws Interrupted
  void check_interruption() const {
    if (interruption) interruption->check();
  }
};

/// Goes along with a run, step by step, beside what monitors look at.
template <class T>
class Follower {
 public:
  virtual ~Follower() = default;

  /// Begins at z. Steps will be about as long as h; nothing is compiled later.
  virtual void start(const PhasePoint<T>& z, LaneOf<T> h) = 0;

  /// Does not allocate. @throws Interrupted: then it is of no use any more.
  virtual void follow(const MadeStep<T>& step) = 0;

  /// The step that was followed last counts: what was found in it may be written.
  /// @throws std::runtime_error if it cannot be.
  virtual void settle() {}

  /// All that it remembers of the run, for a checkpoint; writing changes nothing. Is read after start(), with the point
  /// of the checkpoint; the next step is followed in the same way, to the bit, after writing and after reading.
  virtual void state(Archive& archive) = 0;
};

}  // namespace cotangent
