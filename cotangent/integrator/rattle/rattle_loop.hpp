#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/point.hpp"
#include "cotangent/integrator/rattle/rattle_loop_plan.hpp"
#include "cotangent/integrator/rattle/rattle_stages.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Runs the kernels of a RattleLoopPlan.
template <class T>
class RattleLoop {
 public:
  /// @param system and code must outlive this.
  RattleLoop(System<T>& system, const typename RattleCode<T>::Loop& code);

  /// Makes up to `steps` steps of size h, in place; stops before the first one that does not count in some lane.
  /// @return the number of steps made, the same in all lanes.
  std::int64_t advance(PhasePoint<T>& z, Memory<T>& memory, LaneOf<T> h, std::int64_t steps);

  /// Makes one step, not in place, and says in which lanes it counts; in the others everything is of no use.
  Mask<T> once(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& end_memory);

 private:
  std::int64_t repeat(std::int64_t steps);
  void bind(const PhasePoint<T>& z, const Memory<T>& memory, LaneOf<T> h, PhasePoint<T>& end, Memory<T>& end_memory);
  void take(PhasePoint<T>& z, Memory<T>& memory);

  const typename RattleCode<T>::Loop& code_;
  Frame<T> frame_;
  std::vector<T> scalars_ = std::vector<T>(RattleLoopPlan::kScalars, T(0));
  T wanted_ = T(0), done_ = T(0), accepted_ = T(0);
  PhasePoint<T> end_;  // what the loop writes: the beginning stays, should it have to go less far
  Memory<T> end_memory_;
};

}  // namespace cotangent
