#pragma once

#include <cstdint>
#include <utility>

#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/octave_schedule.hpp"
#include "cotangent/monitor/step_map.hpp"

namespace cotangent {

/// Now and then a step of the run is made again, and undone by one of the opposite length:
///
///   defect = max_j |Phi_-h(Phi_h(z)) - z|_j / |z|
///
/// with |z| the largest number of the same kind (coordinates, momenta, states). Symmetric methods lead back to z.
/// Projections after a step are made on both ways. The steps are those of an OctaveSchedule.
template <class T>
class ReversalProbe final : public Follower<T> {
 public:
  /// @param map that of the run, but made of other objects.
  explicit ReversalProbe(StepMap<T> map) : map_(std::move(map)) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override {
    archive("schedule", is_picked_);
    archive("count", count_);
    archive("failed", failed_);
    archive("largest", largest_);
    archive("map", map_);
  }

  double largest() const { return largest_; }      ///< defect
  std::int64_t count() const { return count_; }    ///< of steps that were tried
  std::int64_t failed() const { return failed_; }  ///< of steps that could not be made backwards

 private:
  bool advance(PhasePoint<T>& z, LaneOf<T> h, int parts, bool is_projected);

  StepMap<T> map_;
  PhasePoint<T> z_;
  OctaveSchedule is_picked_;
  std::int64_t count_ = 0, failed_ = 0;
  double largest_ = 0;
};

extern template class ReversalProbe<double>;
extern template class ReversalProbe<long double>;
extern template class ReversalProbe<Quad>;

}  // namespace cotangent
