#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/rattle_loop_plan.hpp"
#include "cotangent/integrator/rattle_stages.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Runs the kernels of a RattleLoopPlan.
template <class T>
class RattleLoop {
 public:
  RattleLoop(System<T>& system, const RattleLoopPlan& plan);

  /// Makes up to `steps` steps of size h, in place; stops before the first one that does not count in some lane.
  /// @return the number of steps made, the same in all lanes.
  std::int64_t advance(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h, std::int64_t steps);

  /// Makes one step, in place, and says in which lanes it counts; in the others everything is of no use.
  Mask<T> once(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h);

 private:
  static bool is_finite(const PhasePoint<T>& z);
  void bind(PhasePoint<T>& z, RattleMemory<T>& memory, LaneOf<T> h);

  Kernel<T> loop_, once_;
  Frame<T> frame_;
  std::vector<T> scalars_, wanted_, done_, accepted_;
  PhasePoint<T> saved_;  // the beginning, to go back to
  RattleMemory<T> saved_memory_;
};

}  // namespace cotangent
