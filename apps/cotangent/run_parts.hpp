#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cotangent/elements/elements.hpp"
#include "cotangent/integrator/doubled.hpp"
#include "cotangent/integrator/projected.hpp"
#include "cotangent/monitor/step_map.hpp"
#include "cotangent/simulation/step_density.hpp"
#include "run_choices.hpp"
#include "run_options.hpp"

/// What a run is made of, for whoever makes steps of their own beside it.
struct RunParts {
  const cotangent::Model& model;
  std::shared_ptr<const cotangent::Elements> elements;
  const RunOptions& options;
  const RunChoices& choices;
  std::string method, formulation;  ///< what the options come to
  cotangent::ProjectionPolicy policy;
  std::optional<cotangent::Controller> controller = {};  ///< of adaptive steps
};

/// The steps of the run, from those of its method: with an estimate of their errors where the controller needs one, and
/// with the projection after them.
template <class T>
std::unique_ptr<cotangent::Integrator<T>> steps_of(std::unique_ptr<cotangent::Integrator<T>> method,
                                                   cotangent::Manifold<T>& manifold, const RunParts& parts) {
  if (parts.controller == cotangent::Controller::pi) method = with_estimate(std::move(method));
  return with_projection(std::move(method), manifold, parts.policy);
}

/// Steps like those of the run, made of other objects. Over dual numbers kernels are compiled whatever the precision of
/// the run is.
template <class T>
cotangent::StepMap<T> make_step_map(const RunParts& parts);

/// The density of steps that was asked for. @pre options.step_density
template <class T>
std::unique_ptr<cotangent::ExpressionDensity<T>> make_density(const RunParts& parts);
