#pragma once

#include <string>
#include <vector>

#include "run_parts.hpp"

/// What makes the steps of a run: the system in numbers, and the method under its formulation with its projection.
template <class T>
struct RunMachine {
  /// From symbols to numbers. @param notes are added for what was chosen, and for options that change nothing.
  /// @throws cotangent::ModelError or UsageError for methods, formulations and projections that do not fit.
  RunMachine(const cotangent::Model& model, const RunOptions& options, const RunChoices& choices,
             std::vector<std::string>& notes);

  /// Of the method, without the projection after it.
  const cotangent::MethodFacts& facts() const { return facts_; }
  cotangent::Manifold<T>& manifold() const { return *map.manifold; }

  cotangent::StepMap<T> map;
  RunParts parts;

 private:
  cotangent::MethodFacts facts_;
};
