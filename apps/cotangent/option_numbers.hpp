#pragma once

#include <string>

#include "cotangent/model/model.hpp"
#include "run_options.hpp"

/// Numbers of the command line, which may be expressions in the parameters of the model: "pi/100", "2*l".
/// @throws cotangent::ModelError for what is none.
void evaluate_numbers(RunOptions& options, const cotangent::Model& model);

/// The two of --baumgarte, wherever that was given. @throws cotangent::ModelError
void evaluate_rates(RunOptions& options, const cotangent::Model& model);

/// The value of an option that is an expression in the variables of a model. @throws cotangent::ModelError
cotangent::Expr read_option_expression(const RunOptions& options, const cotangent::Model& model,
                                       const std::string& option, const std::string& text);
