#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/drift.hpp"
#include "cotangent/analysis/levels.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/simulation/pace/time_span.hpp"

namespace cotangent {

/// What was measured of a structure, whether somebody claims it or not.
enum class Verdict : std::uint8_t { kept, broken, undecided };

/// "kept", "broken", "undecided".
const char* describe(Verdict verdict);

/// One structure of the exact motion, and what the run made of it.
struct Finding {
  std::string structure;  ///< "position", "momentum", "energy", "symplecticity", "reversibility", "invariants.L"
  bool is_claimed = false;
  std::string claim = {};  ///< what is promised, and by what; or why nothing is
  Verdict verdict = Verdict::undecided;
  double figure = 0;                  ///< the largest that was measured in T
  double level = 0;                   ///< what rounding errors of all steps come to
  std::optional<double> defect = {};  ///< of single steps in Quad, relative
  std::optional<Drift> drift = {};    ///< of the energy, where it is not kept to rounding
  std::string evidence = {};          ///< one sentence
};

/// How far the run is from the exact motion. Numbers that are not known are none.
struct ErrorFinding {
  std::string by;  ///< what it was compared with: "two steps in the place of one", "the exact solution", ...
  double final = 0, largest = 0;  ///< of all numbers, in whatever units
  /// Of coordinates "q", momenta "p" or states "s", with the size of the largest of them in the run.
  struct Part {
    std::string name;
    double final = 0, largest = 0, size = 0;
  };
  std::vector<Part> parts = {};
  std::optional<double> lost_at = {};  ///< from then on a part is half as large as its size
  std::string evidence = {};

  /// Relative to sizes, of the worst part.
  double relative_final() const;
  double relative_largest() const;
};

struct Certificate {
  bool is_ended = true;      ///< the run has reached its end
  std::int64_t steps = 0;    ///< that were made
  std::int64_t samples = 0;  ///< steps that were made again in Quad
  std::vector<Finding> findings = {};
  std::optional<ErrorFinding> error = {};
  std::optional<double> energy_lost_at = {};  ///< see EnergyWatch

  /// Nothing that is claimed is broken, and the run is a motion of the system.
  bool holds() const;
  /// The run has made steps and reached its end, and nothing that is claimed is undecided.
  bool is_complete() const;
};

/// A number that was watched in every step, and what a MapProbe says of it.
struct WatchedSignal {
  std::string name;  ///< of the monitor: "energy", "invariants.L"
  Series series;
  Levels levels;      ///< of rounding errors in one step
  double change = 0;  ///< in one step, in levels
  double defect = 0;  ///< of single steps in Quad
};

/// Everything that is known about a run when it is over.
struct RunEvidence {
  MethodFacts facts;  ///< of the method under its formulation
  ProjectionPolicy policy;
  bool is_ended = true;
  std::int64_t steps = 1;
  TimeSpan span = {};  ///< signals know the time since the start only
  bool has_constraints = false;
  bool is_autonomous = true;   ///< neither H nor a constraint depends on the time
  bool is_hamiltonian = true;  ///< neither forces nor dissipation nor states beside the motion
  bool is_adaptive = false;
  bool has_even_steps = true;              ///< of one length, or chosen reversibly: not by an estimate of their errors
  std::int64_t charts = 0;                 ///< changes of the chart
  std::vector<std::string> changing = {};  ///< declared invariants that the equations do not keep
  std::vector<std::string> in_doubt = {};  ///< those of which this is not known
  std::optional<double> energy_lost_at = {};  ///< see EnergyWatch
  /// When H first jumped along the run, or its gradient: see JumpWatch.
  std::optional<double> energy_jump = {}, gradient_jump = {};

  std::vector<WatchedSignal> signals = {};
  std::int64_t samples = 0, failed = 0;  ///< see MapProbe
  struct Reversal {
    double figure = 0, level = 0, defect = 0;
    std::int64_t count = 0, elsewhere = 0;
  };
  Reversal reversal = {};
  struct Wedge {
    Series series;
    double level = 0, defect = 0;
  };
  std::optional<Wedge> wedge = {};

  struct Error {
    std::string by = {};  ///< what it was measured against
    Series series = Series();
    double factor = 1;       ///< from the difference to the error, for shorter steps
    bool is_shared = false;  ///< against a run of the same method and projection: what both do wrong is not seen
    struct Part {
      std::string name;  ///< "q", "p", "s"
      Series series;
      double size = 0;  ///< of the motion
    };
    std::vector<Part> parts = {};
  };
  std::optional<Error> error = {};
};

/// Compares what was measured with what fact sheets promise. A structure that holds to rounding is
///
///   kept       if all of its figures are below 10 levels, broken if one is above 1000, undecided between:
///                the largest |F| of the run        in rounding errors of all steps, a random walk
///                its change in one step            in rounding errors of one step
///                the same in Quad                  in units of a double
///
/// The energy of other methods has no such level. Its drift b +- s over the time t, by block averages, is
///
///   none       if |b| < 3 s, s is settled, and (|b| + 3 s) t is less than the energy oscillates
///   there      if |b| > 5 s, and |b| t is more than that: the error of a symplectic method is a function of the point,
///              and slow motions move its mean by about as much as others make it oscillate.
Certificate certify(const RunEvidence& run);

}  // namespace cotangent
