#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/point.hpp"
#include "cotangent/integrator/rattle/rattle_loop_plan.hpp"
#include "cotangent/integrator/rattle/rattle_stages.hpp"
#include "cotangent/integrator/step_watch.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Runs the kernels of a RattleLoopPlan.
template <class T>
class RattleLoop {
 public:
  /// @param system and code must outlive this.
  RattleLoop(System<T>& system, const typename RattleCode<T>::Loop& code);

  /// Makes up to `steps` steps of size h, in place; stops before the first one that does not count in some lane.
  /// @param watch a null pointer where nobody looks.
  /// @return the number of steps made, the same in all lanes.
  std::int64_t advance(PhasePoint<T>& z, Memory<T>& memory, LaneOf<T> h, std::int64_t steps,
                       StepWatch<T>* watch = nullptr);

  /// From now on steps can be watched. @param loop must outlive this.
  void set_watched(const WatchedRattleLoop<T>& loop) {
    watched_ = &loop.kernel;
    beside_.resize(loop.besides);
  }
  bool can_watch() const { return watched_ != nullptr; }

  /// Makes one step, not in place, and says in which lanes it counts; in the others everything is of no use.
  Mask<T> once(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& end_memory);

 private:
  std::int64_t repeat(std::int64_t steps, StepWatch<T>* watch);
  void bind(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& end_memory);
  void take(PhasePoint<T>& z, Memory<T>& memory);
  void take(StepWatch<T>& watch) const;

  const typename RattleCode<T>::Loop& code_;
  const Kernel<T>* watched_ = nullptr;
  Frame<T> frame_;
  std::vector<T> scalars_ = std::vector<T>(RattleLoopPlan::kScalars, T(0));
  T wanted_ = T(0), done_ = T(0), accepted_ = T(0);
  PhasePoint<T> end_;  // what the loop writes: the beginning stays, should it have to go less far
  Memory<T> end_memory_;
  std::vector<T> beside_;
  std::array<T, StepWatch<T>::kNumbers> last_{};         // of a StepWatch
  std::array<T, StepWatch<T>::kNumbers + 1> largest_{};  // then its condition
};

}  // namespace cotangent
