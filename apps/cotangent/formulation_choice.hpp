#pragma once

#include <string>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "run_options.hpp"

/// The options of formulations: --gauge, --baumgarte, --chart, --chart-update, --impetus-reset, --impetus-reset-above.
/// @throws cotangent::ModelError for values that make no sense.
cotangent::FormulationOptions choose_formulation_options(const RunOptions& options);

/// A note for each of them that was given but does not concern this formulation.
std::vector<std::string> idle_formulation_options(const RunOptions& options, const std::string& formulation);
