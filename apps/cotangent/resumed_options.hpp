#pragma once

#include <string>
#include <vector>

#include "checkpoint_file.hpp"
#include "cotangent/model/model.hpp"
#include "run_options.hpp"

/// What a checkpoint remembers of the options, name=value.
std::vector<std::string> remembered_options(const RunOptions& options);

/// In place of complete_run_options(): evaluates the numbers of the command line and takes the rest from a checkpoint.
/// What makes the run what it is may be given again, in other words (see option_meaning.hpp); the remembered ones hold.
/// @throws cotangent::ModelError or UsageError for options that may not change, by name.
void resume_run_options(RunOptions& options, const cotangent::Model& model, const RememberedRun& run);
