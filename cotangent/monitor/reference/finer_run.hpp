#pragma once

#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/reference/reference.hpp"
#include "cotangent/monitor/step_map.hpp"

namespace cotangent {

/// The same run with K steps of equal length in place of each one: where a method has the order r its errors are
/// smaller by K^r, and the difference is, but for 1 part in K^r - 1, the error of the run.
template <class T>
class FinerRun final : public Reference<T> {
 public:
  /// @param map that of the run, but made of other objects. @param K at least 2.
  FinerRun(StepMap<T> map, int K) : map_(std::move(map)), K_(K) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  std::optional<T> error(const PhasePoint<T>& z) override;
  std::string remark() const override { return is_lost_ ? lost_remark(static_cast<double>(z_->t)) : std::string(); }
  void state(Archive& archive) override {
    archive("is_lost", is_lost_);
    archive("point", z_);
    archive("map", map_);
  }

  double refinement() const override { return K_; }

 private:
  StepMap<T> map_;
  int K_;
  Point<T> z_;
  LaneOf<T> length_ = 0;  // of the last step
  bool is_lost_ = false;  // one of its steps could not be made
};

COTANGENT_DECLARE(PRECISIONS, FinerRun);

}  // namespace cotangent
