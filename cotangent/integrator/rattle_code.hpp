#pragma once

#include <optional>

#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// The kernels of a RattlePlan and of a RattleLoopPlan.
template <class T>
struct RattleCode {
  KernelSequence<T> newton, kick;

  /// Stages that are composed where `is_composed`, one by one otherwise.
  bool is_composed = false;
  KernelSequence<T> drift_position, kick_momentum, project_verify;
  KernelSequence<T> drift, position, momentum, verify, project;

  struct Loop {
    Kernel<T> loop, once;
    bool has_force = false;  ///< which is not constant
  };
  std::optional<Loop> loop;
};

/// The code of a system, made once for all that share its model; nothing if it has no such plan.
template <class T>
const std::optional<RattleCode<T>>& rattle_code(Manifold<T>& manifold);

}  // namespace cotangent
