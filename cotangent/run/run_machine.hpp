#pragma once

#include "cotangent/run/plan_run.hpp"
#include "cotangent/run/run_parts.hpp"

namespace cotangent {

/// What makes the steps of a run: the system in numbers, and the method under its formulation with its projection.
template <class T>
struct RunMachine {
  /// From symbols to numbers. Settles the plan: the method, its formulation, projection and controller.
  /// @param notes are added for what was chosen, and for options that change nothing.
  /// @throws ModelError or OptionError for methods, formulations and projections that do not fit.
  RunMachine(const Model& model, RunPlan plan, const RunWords& words, Notes& notes);

  /// Of the method, without the projection after it.
  const MethodFacts& facts() const { return facts_; }
  Manifold<T>& manifold() const { return *map.manifold; }

  StepMap<T> map;
  RunParts parts;

 private:
  MethodFacts facts_;
};

}  // namespace cotangent
