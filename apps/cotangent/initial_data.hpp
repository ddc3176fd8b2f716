#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "cotangent/model/model.hpp"

using Tables = std::vector<cotangent::InitialTable>;

/// Reads --initial-from and --initial-array of a request into the model. @return the time of the frame, if there is
/// one.
/// @throws cotangent::ModelError for a file that cannot be read, or does not fit the model.
std::optional<double> set_initial_data(const RunRequest& request, cotangent::Model& model);

/// The files that these options name.
std::vector<std::string> initial_files(const RunRequest& request);
