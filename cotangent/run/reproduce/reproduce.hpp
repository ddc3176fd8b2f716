#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/run/reproduce/experiment.hpp"

namespace cotangent {

enum class Reproduction : std::uint8_t { reproduced, not_reproduced, not_checkable };

/// "reproduced", "not reproduced", "not checkable".
const char* describe(Reproduction verdict);

struct CheckedClaim {
  const Experiment* experiment;
  const Claim* claim;
  double measured;  ///< not a number where there is nothing to measure
  Reproduction verdict;

  /// Neither reproduced nor known not to be. Times are no surprise: a machine with other work takes longer.
  bool is_surprise() const { return verdict == Reproduction::not_reproduced && !claim->is_known && !claim->is_of_time; }
};

/// A plot of an experiment with its numbers, of which long lines keep the extrema.
struct PlottedLines {
  struct Line {
    std::string label;
    std::vector<double> x, y;
    std::optional<bool> is_dotted = {};  ///< of an orbit: whether some of its points are left out
  };
  const Experiment* experiment;
  const ExperimentPlot* plot;
  std::vector<Line> lines;
};

/// The claims of experiments, each held against runs of the program.
struct Reproductions {
  std::vector<CheckedClaim> claims;
  std::vector<PlottedLines> plots = {};  ///< where they were asked for
  bool is_interrupted = false;

  /// "66 claims: 60 reproduced, ...".
  std::string counts() const;

  std::string table() const;
  /// A list of {"experiment", "claim", "printed", "measured", "tolerance", "verdict"}; "known" where a claim is known
  /// not to hold.
  std::string json() const;
};

struct ReproduceOptions {
  std::function<std::filesystem::path(const std::string&)> find_model;
  std::function<void(std::int64_t done, std::int64_t of, const std::string& now)> progress = {};
  int threads = 0;  ///< 0: as many as there are processors
  bool makes_plots = false;
  const volatile std::sig_atomic_t* stop = nullptr;
};

/// Makes the runs, each once, several at a time, and checks all claims. @param experiments outlive the result.
/// @throws ModelError with the place in an experiment that makes no sense
Reproductions reproduce(const std::vector<Experiment>& experiments, const ReproduceOptions& options);

}  // namespace cotangent
