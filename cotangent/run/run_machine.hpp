#pragma once

#include <functional>
#include <memory>

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

  /// Whether steps, with their projection, return to g = 0 and to G H_p = 0.
  bool returns_to_position() const { return facts_.keeps_position || parts.plan.policy().to_position(); }
  bool returns_to_momentum() const { return facts_.keeps_momentum || parts.plan.policy().to_momentum(); }

  StepMap<T> map;
  RunParts parts;

 private:
  MethodFacts facts_;
};

/// The method that was asked for or, without a wish, the one that suits the system: the first that can
/// take it, with methods that keep more of the structure first or, where a tolerance is given, explicit methods of high
/// order that estimate their errors; or radau-iia:3 where such a method turns out to make short steps for no other
/// reason than that the system is stiff. A choice is noted.
/// @param start gives the first point of the run.
/// @throws ModelError or OptionError if the method cannot take the system, and MinimalError if [minimal] of the model
/// is to blame.
template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const RunPlan& plan, const RunWords& words,
                                             Notes& notes, const std::function<PhasePoint<T>()>& start);

/// A note for each option that was given but changes nothing in this combination.
/// @param plan settled. @param facts of its method, without the projection after it.
Notes idle_options(const RunPlan& plan, const RunWords& words, const MethodFacts& facts, const Model& model,
                   std::int64_t constraints);

/// Whether a run can begin at z, where the initial data may be off the constraints. A trajectory that begins with a
/// jump is noted.
/// @throws ModelError for a formulation that has no such point.
template <class T>
void check_start(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes);

/// The density of reversible steps that was asked for, if there is one. @param z where the run starts.
/// @throws ModelError for a density that is none.
template <class T>
std::unique_ptr<StepDensity<T>> choose_density(const RunMachine<T>& machine, PhasePoint<T> z, Notes& notes);

}  // namespace cotangent
