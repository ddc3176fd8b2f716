#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/growth.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/run/options/run_plan.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// What is compared: every method with every formulation, projection and step, as far as they go together.
///
/// The words are those of RunPlan. A list that is empty is left to the program: some methods that suit the kind of
/// system, the formulation and the projection that suit a method, and steps that are refined, or made longer, until
/// the cheapest one is found whose run is as accurate as asked for.
struct Choices {
  std::vector<std::string> methods = {};
  std::vector<std::string> formulations = {};  ///< "all": every one that the method takes
  std::vector<Projection> projections = {};
  std::vector<double> steps = {};
  std::vector<double> tolerances = {};  ///< of adaptive steps
  double accuracy = 1e-6;               ///< the largest error of a solution, in parts of its size
  int threads = 0;                      ///< 0: as many as there are processors
};

/// A run of a comparison, or the reason why there is none.
struct ComparedRun {
  RunPlan plan;                      ///< settled, if there is a run
  std::string refusal = {};          ///< nothing else is known then
  Summary summary = {};              ///< of the run with its monitors
  std::string json = {};             ///< the same, as `run` prints it
  std::optional<double> error = {};  ///< the largest along the run, in parts of the size of the motion
  std::optional<double> end_error = {};
  Growth error_growth = {};  ///< how the error grows, where the program knows its reference
  double seconds = 0;        ///< of the loop when nothing is watched and nothing else runs

  bool is_accurate(double accuracy) const { return error && *error <= accuracy; }
};

/// What errors are measured against.
struct CommonReference {
  std::string by;                    ///< in words
  std::optional<double> known_to{};  ///< its own error, as far as another one tells; nothing: it is exact or given
};

struct Comparison {
  double accuracy = 0;
  CommonReference reference;
  std::vector<ComparedRun> runs;
  std::optional<std::size_t> recommended = {};  ///< the cheapest run that is accurate enough
  bool is_interrupted = false;

  /// One sentence, which begins with "recommended", or says why nothing is.
  std::string recommendation() const;
  std::string table() const;
  /// The rows of the table, the first of them names of columns; runs that were refused are left out.
  std::vector<std::vector<std::string>> rows() const;
  /// A list of the summaries of runs; those that were refused have the status "refused" and a reason.
  std::string json() const;
};

/// For whoever waits: how many runs are done, and which one is being made.
using CompareProgress = std::function<void(std::int64_t done, const std::string& now)>;

/// Makes the runs, several at a time, then measures the time of each one alone.
/// @param common options of all runs: the end, monitors, a reference, ... @param stop nonzero: the comparison ends
/// soon.
/// @throws ModelError or OptionError for what is wrong with the model, or with all runs alike.
Comparison compare(const Model& model, const Choices& choices, const RunPlan& common = {},
                   const CompareProgress& progress = {}, const volatile std::sig_atomic_t* stop = nullptr);

}  // namespace cotangent
