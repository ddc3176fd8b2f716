#pragma once

#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_parts.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/reference/reference.hpp"

namespace cotangent {

/// The same run with K steps in place of each one, see StepParts: the part of the error that they leave is known where
/// the order of the method is, and the difference of both runs is the rest of it.
template <class T>
class FinerRun final : public Reference<T> {
 public:
  /// @param map that of the run, but made of other objects. @param K at least 2.
  FinerRun(StepMap<T> map, int K) : map_(std::move(map)), parts_(K) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  std::optional<SolutionError<T>> error(const PhasePoint<T>& z) override;
  std::string remark() const override { return is_lost_ ? lost_remark(static_cast<double>(z_->t)) : std::string(); }
  void state(Archive& archive) override {
    archive("is_lost", is_lost_);
    archive("point", z_);
    archive("map", map_);
  }

  double error_left(int order) const override { return parts_.error_left(order); }

 private:
  StepMap<T> map_;
  StepParts parts_;
  Point<T> z_;
  LaneOf<T> length_ = 0;  // of the last step
  bool is_lost_ = false;  // one of its steps could not be made
};

COTANGENT_DECLARE(PRECISIONS, FinerRun);

}  // namespace cotangent
