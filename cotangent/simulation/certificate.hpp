#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/level_history.hpp"
#include "cotangent/analysis/solution_error.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection_policy.hpp"

namespace cotangent {

/// What became of a claim.
enum class Verdict : std::uint8_t {
  kept,         ///< claimed, and measured
  broken,       ///< claimed, but not what was measured
  not_claimed,  ///< nobody promised it: the figure and its trend tell what happens
  unknown,      ///< it could not be measured
};

/// "kept", "broken", "not claimed", "unknown".
const char* describe(Verdict verdict);

/// One structure of the exact motion, and what the run made of it.
struct Finding {
  std::string structure;  ///< "position", "momentum", "energy", "symplecticity", "reversibility", "invariants.L"
  Verdict verdict = Verdict::unknown;
  std::string claim;           ///< what is promised, and by what; why nothing is
  double figure = 0;           ///< the largest that was measured
  double level = 0;            ///< what rounding errors permit
  std::optional<Trend> trend;  ///< of what is followed in time
  std::string evidence;        ///< one sentence
};

/// How far the run is from the exact motion.
struct ErrorFinding {
  std::string by;                 ///< how it is known: "step halving", "the exact solution", "a record"
  double final = 0, largest = 0;  ///< not numbers where there is no estimate
  std::optional<double> lost_at;  ///< when the two that are compared had nothing to do with each other any more
  Trend trend = Trend::unknown;
  Growth growth;  ///< the power of t that the error grows with
  std::string evidence;
};

struct Certificate {
  bool is_complete = true;  ///< the run has reached its end
  bool has_steps = true;    ///< there was something to be judged
  std::vector<Finding> findings;
  std::optional<ErrorFinding> error;
  /// Invariants that the equations do not keep, but to whose first values points were returned: the run is not one of
  /// the model.
  std::vector<std::string> forced;

  /// Whether the run is complete, has made a step, is one of the model, and no claim is broken.
  bool holds() const;
};

/// A number that was watched in every step.
struct WatchedSignal {
  std::string name;  ///< of the monitor: "energy", "invariants.L"
  Series series;
  LevelHistory level;       ///< of rounding errors in one evaluation
  LevelHistory terms = {};  ///< of the energy: what is added up in H
  bool walks = true;        ///< Those of all steps add up to a random walk. That of the wedge product is one already.
};

/// Everything that is known about a run when it is over.
struct RunEvidence {
  MethodFacts facts;  ///< of the method under its formulation
  ProjectionPolicy policy;
  bool is_complete = true;  ///< the end was reached
  std::int64_t steps = 1;   ///< that were made
  bool has_constraints = false;
  bool is_autonomous = true;   ///< neither H nor a constraint depends on the time
  bool is_hamiltonian = true;  ///< neither forces nor dissipation nor states beside the motion
  bool is_adaptive = false;
  bool has_even_steps = true;         ///< of one length, or chosen reversibly: not by an estimate of their errors
  bool has_lost_density = false;      ///< they were to be chosen reversibly, and could not be
  std::int64_t charts = 0;            ///< changes of the chart
  std::vector<std::string> changing;  ///< declared invariants that the equations do not keep
  std::vector<WatchedSignal> signals;

  struct Reversal {
    double defect = 0, level = 0;  ///< see ReversalProbe
    std::int64_t count = 0, failed = 0, blurred = 0, elsewhere = 0;
  };
  std::optional<Reversal> reversal;

  double unit = 0;  ///< of rounding: epsilon

  /// log of how far neighbours have separated, by a tangent vector that went along; 0: not known.
  double separation = 0;

  std::string error_by;     ///< what "error" among the signals was measured against; empty: nothing
  double error_factor = 1;  ///< from the difference to the error, for step halving
  bool is_refined = true;   ///< steps of what it was measured against were shorter all the time
  /// It was measured against a run of the same method and projection, and does not show what both do wrong.
  bool is_error_shared = false;
};

/// Draws the conclusions. A claim is what the fact sheets of the method, its formulation and the projection promise for
/// such a system and such steps; a verdict is what the numbers say:
///
///   position, momentum   kept while the residual stays at rounding, or below the EPS of --project-above
///   energy               kept at rounding where the method or a projection says so; otherwise symplectic methods claim
///                        that its error stays bounded: no trend but that of rounding errors. Of symmetric ones this is
///                        expected for regular motion, but a trend does not break it. Nothing is claimed where charts
///                        change, each with a modified energy of its own, or the time is in H
///   symplecticity        kept while the wedge product changes by rounding errors only
///   reversibility        kept while steps back undo steps to rounding
///
/// Where points are returned to an invariant that the equations do not keep the certificate does not hold, and there is
/// no estimate of the error by shorter steps, as they share it.
Certificate certify(const RunEvidence& run);

}  // namespace cotangent
