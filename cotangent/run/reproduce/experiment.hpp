#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// A run of an experiment: a model with values, and options, in words.
struct ExperimentRun {
  std::string name;
  std::string model;
  std::vector<std::string> set = {};
  std::vector<std::pair<std::string, std::string>> options = {};  ///< by name; a flag has the value "true"
  Location where = {};

  bool is_same_as(const ExperimentRun& other) const {
    return model == other.model && set == other.set && options == other.options;
  }
};

/// A number that a paper states, and how it is measured.
struct Claim {
  std::string text;
  std::string measured;  ///< an expression in figures of runs, "rk4.max.energy/rattle.max.energy"; none: not checkable
  std::optional<double> printed = {};
  double least = 0, most = 0;  ///< the claim holds where the measured number is between them
  std::string tolerance = {};  ///< the same, in words
  std::string remark = {};     ///< why a claim that is known not to hold does not, or why it cannot be checked
  bool is_known = false;       ///< not to hold
  Location where = {};
};

/// A published experiment: a file of experiments/, see docs/reproductions.md.
struct Experiment {
  std::string name;  ///< "seiler/fig-1"
  std::string title, source;
  bool is_slow = false;
  std::vector<ExperimentRun> runs;
  std::vector<Claim> claims;
};

/// @throws ModelError with the place of the first mistake
Experiment read_experiment(const std::filesystem::path& file, const std::string& name);

}  // namespace cotangent
