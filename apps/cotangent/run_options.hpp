#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint_file.hpp"
#include "cotangent/model/model.hpp"
#include "option_places.hpp"

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

/// Declares the options to the command line.
void add_run_options(CLI::App& app, RunOptions& options);

/// Evaluates the numbers of the command line and takes from [run] what the command line leaves open.
/// @throws cotangent::ModelError for a number that is none, an unknown key or a value of a wrong kind.
void complete_run_options(RunOptions& options, const cotangent::Model& model);

/// What a checkpoint remembers of the options, name=value.
std::vector<std::string> remembered_options(const RunOptions& options);

/// In place of complete_run_options(): evaluates the numbers of the command line and takes the rest from a checkpoint.
/// @throws cotangent::ModelError or UsageError for options that may not change, by name.
void resume_run_options(RunOptions& options, const cotangent::Model& model, const RememberedRun& run);

/// The value of an option that is an expression in the variables of a model. @throws cotangent::ModelError
cotangent::Expr read_option_expression(const RunOptions& options, const cotangent::Model& model,
                                       const std::string& option, const std::string& text);

/// Options that a later version will have: their names get a better answer than "unknown".
const std::vector<std::string>& later_run_options();
