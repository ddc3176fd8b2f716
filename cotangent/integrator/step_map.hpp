#pragma once

#include <memory>

#include "cotangent/base/archive.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Everything that a run does to a point in a step, for whoever makes steps of their own beside it.
template <class T>
struct StepMap {
  std::unique_ptr<System<T>> system;
  std::unique_ptr<Manifold<T>> manifold;
  std::unique_ptr<Integrator<T>> integrator;

  /// See Follower::state().
  void state(Archive& archive) { manifold->matrix().state(archive); }
};

}  // namespace cotangent
