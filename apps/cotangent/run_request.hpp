#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cotangent/run/run_words.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// What the command line says of a run.
struct RunRequest {
  RunRequest();

  std::string model;
  std::vector<std::string> set;
  std::optional<std::string> resume;  ///< a checkpoint
  cotangent::RunWords words;
};

/// Declares MODEL and --set to the command line. @return MODEL
CLI::Option* add_model_options(CLI::App& app, RunRequest& request);

/// Declares all options to the command line.
void add_run_options(CLI::App& app, RunRequest& request);
