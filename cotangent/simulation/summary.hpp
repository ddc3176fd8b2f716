#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/growth.hpp"
#include "cotangent/base/step_status.hpp"
#include "cotangent/projection/relaxation_tally.hpp"
#include "cotangent/projection/scaling_tally.hpp"

namespace cotangent {

class Archive;

/// How a run ended. In each case the point is the last one that was reached, and the records are complete up
/// to it.
enum class Outcome : std::uint8_t {
  done,         ///< the end was reached
  failed,       ///< a step could not be made, see Failure
  interrupted,  ///< the user stopped it
};

/// "done", "failed", "interrupted".
const char* describe(Outcome outcome);

/// What was being done when a run failed.
enum class Phase : std::uint8_t {
  step,        ///< the step could not be made, or its result could not be used
  projection,  ///< the step was made, its point could not be projected
  tolerance,   ///< the step was made, its error stays above what is tolerated however short it is
  recording,   ///< the step was made and counts, but could not be written
};

/// "step", "projection", "tolerance", "recording".
const char* describe(Phase phase);

/// Why a run ended early.
struct Failure {
  Phase during = Phase::step;
  StepStatus status = StepStatus::ok;  ///< of a step or a projection
  std::int64_t step = 0;               ///< its number, from 1
  double time = 0;                     ///< where it began; for a recording, where it ended
  double length = 0;                   ///< h
  double residual = 0;
  double tolerance = 0;         ///< the rounding level that the residual was held against
  double error = 0;             ///< of a step beyond the tolerance, in units of what is tolerated
  std::string constraint = {};  ///< behind a singular matrix, or the invariant; empty if not known
  std::string message = {};     ///< of a recording; otherwise the function that is the cause, where one was found
  bool has_jumps = false;       ///< a function of the model has jumped before, or would in this step: see JumpWatch
};

struct MonitorResult {
  std::string name;
  std::string group;  ///< see Monitor
  double final = 0;
  double largest = 0;
  std::optional<Growth> growth = {};  ///< where it was asked for
};

/// Something about the numerics that the user should know; the run went on.
struct Warning {
  double time = 0;
  std::string kind;  ///< a word that programs can compare
  std::string text;

  void state(Archive& archive);
};

/// The largest |dq_j|, |dp_j| and |ds_j|.
struct Moved {
  double q = 0, p = 0, s = 0;
};

struct Counts {
  std::int64_t rhs = 0;          ///< evaluations of H_q or of the formulation's field
  std::int64_t newton = 0;       ///< iterations of nonlinear solves, of steps and projections
  std::int64_t projections = 0;  ///< points projected
  std::int64_t charts = 0;       ///< changes of the chart, of formulations that use charts
  std::int64_t rejected = 0;     ///< steps that were made again, shorter

  Counts& operator+=(const Counts& other);

  void state(Archive& archive);
};

/// Of a run that chooses its steps as it goes.
struct StepChoice {
  std::string controller;
  double tolerance = 0;
  double smallest = 0, largest = 0;  ///< steps, without the last one, which ends where the run does
  double largest_error = 0;          ///< of a step that was looked at, in units of what is tolerated
  bool is_reversible = false;        ///< in all of the run
};

struct Summary {
  Outcome outcome = Outcome::done;
  double time = 0;                   ///< reached
  std::int64_t steps = 0;            ///< made
  std::int64_t steps_before = 0;     ///< of them before the run was resumed
  double step = 0;                   ///< h; of an adaptive run the mean
  std::optional<StepChoice> choice;  ///< of an adaptive run
  double wall_seconds = 0;           ///< of the loop, monitors and records included, since it was resumed
  Counts counts;
  Moved moved_most, moved_in_all;         ///< by one projection, and by all of them
  ScalingTally scaling;                   ///< of projections by scaling
  RelaxationTally<double> relaxation;     ///< of relaxed steps
  std::optional<double> energy_at_start;  ///< H(0), of a system that has a Hamiltonian
  std::optional<double> energy_lost_at;   ///< when the run was no motion of the system any more, see EnergyWatch
  std::vector<MonitorResult> monitors;
  std::vector<Warning> warnings;
  std::optional<Failure> failure;

  /// Whether the growth of what was watched is known: of all or of nothing.
  bool has_growth() const { return !monitors.empty() && monitors.front().growth.has_value(); }
};

}  // namespace cotangent
