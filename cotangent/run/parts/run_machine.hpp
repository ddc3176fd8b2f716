#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "cotangent/elements/elements.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/step_density.hpp"

namespace cotangent {

/// The parts of a run, for whoever makes steps of their own beside it.
struct RunParts {
  const Model& model;
  std::shared_ptr<const Elements> elements;
  const RunWords& words;
  RunPlan plan;                                   ///< settled
  std::shared_ptr<const CompiledModel> compiled;  ///< the code that all who make steps share
};

/// The maker of the steps of a run: the system in numbers, and the method under its formulation with its projection.
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

/// A model ready to be evaluated. All that is made of one model shares its machine code.
std::shared_ptr<const CompiledModel> compiled_model(const Model& model, std::shared_ptr<const Elements> elements,
                                                    Backend backend);

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
void note_idle_options(const RunPlan& plan, const RunWords& words, const MethodFacts& facts, const Model& model,
                       std::int64_t constraints, Notes& notes);

/// Whether a run can begin at z, where the initial data may be off the constraints. A trajectory that begins with a
/// jump is noted.
/// @throws ModelError for a formulation that has no such point.
template <class T>
void check_start(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes);

/// The density of reversible steps that was asked for, if there is one. @param z where the run starts.
/// @throws ModelError for a density that is none.
template <class T>
std::unique_ptr<StepDensity<T>> choose_density(const RunMachine<T>& machine, PhasePoint<T> z, Notes& notes);

/// A method under the formulation of a plan. @throws std::invalid_argument if it cannot take the system.
template <class T>
std::unique_ptr<Integrator<T>> make_under(const RunPlan& plan, const Method<T>& method, Manifold<T>& manifold) {
  MethodOptions options = plan.solves;
  options.tolerance = plan.tolerance.value_or(0);
  return method.make(manifold, plan.formulation, plan.formulation_options(), options);
}

/// A method with an estimate of its errors, where the controller of a plan needs one.
template <class T>
std::unique_ptr<Integrator<T>> estimated(std::unique_ptr<Integrator<T>> method, const RunPlan& plan) {
  if (plan.is_adaptive() && plan.controller == Controller::pi) return with_estimate(std::move(method));
  return method;
}

/// The steps of a plan, from those of its method: the same, with the projection after them.
template <class T>
std::unique_ptr<Integrator<T>> steps_of(std::unique_ptr<Integrator<T>> method, Manifold<T>& manifold,
                                        const RunPlan& plan) {
  return with_projection(estimated(std::move(method), plan), manifold, plan.policy());
}

/// Steps like those of the run, made of other objects but the same code.
template <class T>
StepMap<T> make_step_map(const RunParts& parts);

/// The density of steps that was asked for. @pre plan.step_density
template <class T>
std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts& parts);

/// The sources of monitors that make steps of their own beside a run.
/// @throws ModelError for monitors and references that make no sense here.
template <class T>
MonitorSources<T> monitor_sources(const RunParts& parts);

}  // namespace cotangent
