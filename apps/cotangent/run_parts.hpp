#pragma once

#include <memory>
#include <string>

#include "cotangent/elements/elements.hpp"
#include "cotangent/monitor/step_map.hpp"
#include "cotangent/projection/projection_policy.hpp"
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
  std::shared_ptr<const cotangent::CompiledModel> compiled;  ///< the code that all who make steps share
};

/// Steps like those of the run, made of other objects but the same code.
template <class T>
cotangent::StepMap<T> make_step_map(const RunParts& parts);

/// The density of steps that was asked for. @pre options.step_density
template <class T>
std::unique_ptr<cotangent::ExpressionDensity<T>> make_density(const RunParts& parts);
