#pragma once

#include <string>

#include "run_options.hpp"

/// Refuses a run that would write a file twice, or over one that it reads: the same file, however it is spelt.
/// @param model the file of the model.
void check_files(const RunOptions& options, const std::string& model);
