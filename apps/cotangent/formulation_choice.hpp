#pragma once

#include <string>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/projection/projection.hpp"
#include "cotangent/simulation/summary.hpp"
#include "run_options.hpp"

/// The options of formulations: --gauge, --baumgarte, --chart, --chart-update, --impetus-reset, --impetus-reset-above.
/// @throws cotangent::ModelError for values that make no sense.
cotangent::FormulationOptions choose_formulation_options(const RunOptions& options);

/// @param step of the method, or the whole time where steps are adaptive.
/// @param epsilon of the precision.
/// @throws cotangent::ModelError if --gauge or --baumgarte is so large that the field is made of rounding errors: the
///   iterations of implicit methods would take them for a solution.
void expect_resolved_rates(const RunOptions& options, const std::string& formulation, double step, double epsilon);

/// A warning where a step failed in a chart that another kind of chart may do better than.
void advise_on_charts(const RunOptions& options, const std::string& formulation, std::int64_t constraints,
                      cotangent::Summary& summary);

/// A note for each of them that was given but changes nothing in this combination.
std::vector<std::string> idle_formulation_options(const RunOptions& options, const std::string& formulation,
                                                  const cotangent::ProjectionPolicy& policy, std::int64_t constraints);
