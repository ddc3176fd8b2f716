#pragma once

#include <memory>
#include <utility>

#include "cotangent/elements/elements.hpp"
#include "cotangent/integrator/doubled.hpp"
#include "cotangent/integrator/projected.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/monitor/step_map.hpp"
#include "cotangent/run/run_plan.hpp"
#include "cotangent/run/run_words.hpp"
#include "cotangent/simulation/step_density.hpp"

namespace cotangent {

/// What a run is made of, for whoever makes steps of their own beside it.
struct RunParts {
  const Model& model;
  std::shared_ptr<const Elements> elements;
  const RunWords& words;
  RunPlan plan;                                   ///< settled
  std::shared_ptr<const CompiledModel> compiled;  ///< the code that all who make steps share
};

/// The steps of a plan, from those of its method: with an estimate of their errors where the controller needs one, and
/// with the projection after them.
template <class T>
std::unique_ptr<Integrator<T>> steps_of(std::unique_ptr<Integrator<T>> method, Manifold<T>& manifold,
                                        const RunPlan& plan) {
  if (plan.is_adaptive() && plan.controller == Controller::pi) method = with_estimate(std::move(method));
  return with_projection(std::move(method), manifold, plan.policy());
}

/// Steps like those of the run, made of other objects but the same code.
template <class T>
StepMap<T> make_step_map(const RunParts& parts);

/// The density of steps that was asked for. @pre plan.step_density
template <class T>
std::unique_ptr<ExpressionDensity<T>> make_density(const RunParts& parts);

/// What monitors need that make steps of their own beside a run.
/// @throws ModelError for monitors and references that make no sense here.
template <class T>
MonitorSources<T> monitor_sources(const RunParts& parts);

}  // namespace cotangent
