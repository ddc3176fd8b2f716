#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>

#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/reference/solution_error.hpp"

namespace cotangent {

/// A solution that a run is held against: an exact one, a record, or one with shorter steps.
template <class T>
class Reference : public Follower<T> {
 public:
  void start(const PhasePoint<T>& /*z*/, LaneOf<T> /*h*/) override {}
  void follow(const MadeStep<T>& /*step*/) override {}

  /// Of what the reference knows at the time of z; nothing where it knows none. Does not allocate.
  virtual std::optional<SolutionError<T>> error(const PhasePoint<T>& z) = 0;

  /// Whether it knows numbers of that kind, at some time.
  virtual bool knows(PointPart /*part*/) const { return true; }

  /// What is to be told after a run that could not be held against it to the end; empty if it could.
  virtual std::string remark() const { return {}; }

  /// Of a run beside the run, with a method of that order: its own error in parts of that of the run; 0 for others.
  virtual double error_left(int /*order*/) const { return 0; }
};

/// What a finer run has to say that could not be made beyond t.
inline std::string lost_remark(double t) {
  return fmt::format("'error' is not known after t = {:g}: a step of the finer run could not be made", t);
}

}  // namespace cotangent
