#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "run_options.hpp"

/// --projection, --project-every, --project-above, --metric and --project-invariants must make sense.
/// @throws cotangent::ModelError
void check_projection_options(const RunOptions& options);

/// What they come to by themselves. @throws cotangent::ModelError for a metric that there is not.
cotangent::Metric choose_metric(const RunOptions& options);
std::int64_t choose_project_every(const RunOptions& options);

/// What a projection asks of the method: `symmetric` is the method symmetric(METHOD), `stage` a formulation in q and p.
/// What is chosen here without having been asked for is noted.
/// @throws cotangent::ModelError if the method that was given has no such stages.
void settle_method_for_projection(RunOptions& options, const cotangent::Model& model, std::vector<std::string>& notes);

/// What was asked for, or what suits the method. With invariants to return to, a system with constraints returns to
/// these as well unless told otherwise.
cotangent::ProjectionPolicy choose_projection(const RunOptions& options, const cotangent::MethodFacts& facts,
                                              std::int64_t constraints);

/// A note for each of the options that was given but changes nothing in this combination.
std::vector<std::string> idle_projection_options(const RunOptions& options, const cotangent::MethodFacts& facts,
                                                 const cotangent::ProjectionPolicy& policy, std::int64_t constraints);
