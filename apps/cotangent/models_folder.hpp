#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The folder with the ready model files: that of the source tree, or ./models.
std::filesystem::path models_folder();

/// Its model files, by name.
std::vector<std::filesystem::path> model_files();

/// What a user calls a model: a path or, where no such file exists, the name of a ready model.
/// @throws cotangent::ModelError if a bare name is neither.
std::filesystem::path find_model(const std::string& name);
