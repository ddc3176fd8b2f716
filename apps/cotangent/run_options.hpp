#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/model.hpp"
#include "option_places.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The options of `run`, on the command line and in [run] of a model, under the same names. What is given on
/// the command line wins.
struct RunOptions {
  std::string model;
  std::vector<std::string> set;
  std::optional<std::string> resume;  ///< a checkpoint

  std::optional<std::string> method, formulation, projection, initial, backend, precision, monitor, out, baumgarte,
      chart, chart_update, hamiltonian, metric, project_invariants, solver, controller, step_density, reference,
      periodogram, section, section_direction, section_out, checkpoint;
  std::optional<double> step, end, tolerance, absolute_tolerance, sample, project_above, gauge, impetus_reset_above;
  std::optional<std::int64_t> every, project_every, impetus_reset, checkpoint_every;
  std::optional<std::pair<double, double>> baumgarte_rates;  ///< the numbers in `baumgarte`
  std::optional<bool> json, quiet, certify, growth;

  OptionPlaces places;

  /// Numbers of the command line, which may be expressions in parameters of the model; kept until it is read.
  struct PendingNumber {
    std::string option, text;
  };
  std::vector<PendingNumber> pending;
};

/// Declares MODEL and --set to the command line. @return MODEL
CLI::Option* add_model_options(CLI::App& app, RunOptions& options);

/// Declares all options to the command line.
void add_run_options(CLI::App& app, RunOptions& options);

/// Evaluates the numbers of the command line and takes from [run] what the command line leaves open.
/// @throws cotangent::ModelError for a number that is none, an unknown key or a value of a wrong kind.
void complete_run_options(RunOptions& options, const cotangent::Model& model);

/// Options that a later version will have: their names get a better answer than "unknown".
const std::vector<std::string>& later_run_options();
