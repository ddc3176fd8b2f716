#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// A run of an experiment, or an analysis: a model with values, and options, in words.
struct ExperimentRun {
  std::string name;
  std::string model;
  std::string text = {};      ///< of the model, where it belongs to the experiment
  std::string question = {};  ///< "stability" or "equilibrium" for an analysis; empty for a run
  std::vector<std::string> set = {};
  std::vector<std::pair<std::string, std::string>> options = {};  ///< by name; a flag has the value "true"
  std::vector<std::string> signals = {};  ///< whose largest, smallest and mean values claims are about
  std::string family = {};                ///< of runs that differ in one value
  double value = 0;                       ///< which this is
  Location where = {};

  bool is_same_as(const ExperimentRun& other) const {
    return model == other.model && text == other.text && question == other.question && set == other.set &&
           options == other.options;
  }
};

/// A figure of the paper, made again: lines over the time, of one signal over another, or of figures of a family of
/// runs over the value in which they differ.
struct ExperimentPlot {
  struct Line {
    std::string run;              ///< or a family
    std::vector<std::string> of;  ///< names: y, or x and y
    std::string label;
    Location where = {};
  };
  std::string title, caption, x, y;
  bool is_log_x = false, is_log_y = false;
  std::vector<Line> lines;
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
  bool is_of_time = false;     ///< measured in seconds: what the machine does beside it counts
  Location where = {};
};

/// A published experiment: a file of experiments/, see docs/reproductions.md.
struct Experiment {
  std::string name;  ///< "seiler/fig-1"
  std::vector<std::string> other_names = {};
  std::string title, source;
  bool is_slow = false;
  std::vector<ExperimentRun> runs;
  std::vector<ExperimentPlot> plots;
  std::vector<Claim> claims;

  bool is_called(const std::string& text) const {
    return name == text || std::find(other_names.begin(), other_names.end(), text) != other_names.end();
  }
};

/// @throws ModelError with the place of the first mistake
Experiment read_experiment(const std::filesystem::path& file, const std::string& name);

/// The experiment of a name, all of a paper ("seiler"), or that of a file.
/// @param known names with their files. @throws UnknownName; ModelError for a file that makes no sense
std::vector<Experiment> find_experiments(const std::vector<std::pair<std::string, std::filesystem::path>>& known,
                                         const std::string& name);

}  // namespace cotangent
