#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/formulation/formulation_options.hpp"
#include "cotangent/integrator/method_options.hpp"
#include "cotangent/kernel/backend.hpp"
#include "cotangent/manifold/initial_policy.hpp"
#include "cotangent/model/initial_table.hpp"
#include "cotangent/monitor/section_direction.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/simulation/pace/controller.hpp"

namespace cotangent {

struct AdaptiveOptions;
struct TimeGridOptions;

/// Which Hamiltonian of a model is integrated.
enum class WhichHamiltonian : std::uint8_t { given, alternative };

/// Of the numbers of a run: double or Quad.
enum class Precision : std::uint8_t { usual, quad };

/// "double", "quad".
const char* name_of(Precision precision);

/// "jit", "interpreter".
const char* name_of(Backend backend);

/// A model, as a text that can be read again.
struct ModelSource {
  std::string file = {};
  std::vector<std::string> set = {};  ///< NAME=VALUE
  std::string fingerprint = {};       ///< of the text of the file
  std::vector<InitialTable> tables = {};

  bool operator==(const ModelSource&) const = default;
};

/// A run as a value: the model, how steps are made, what is watched and what is written. Every member but the model is
/// an option, see option_table.hpp; what is not said has the value that stands here.
///
/// A plan is *settled* when nothing is open any more: by settle_words(), and as a RunMachine is made.
struct RunPlan {
  ModelSource model = {};

  std::string method = {};       ///< as lists call it; empty: what suits the system
  std::string formulation = {};  ///< empty: what suits the method
  WhichHamiltonian hamiltonian = WhichHamiltonian::given;
  MethodOptions solves = {};
  InitialPolicy initial = InitialPolicy::project;

  std::optional<Projection> projection = {};  ///< nothing: what suits the method
  Metric metric = Metric::mass;
  std::vector<std::string> project_invariants = {};
  std::string sets = {};  ///< of variables that are scaled; `solves.sets` follows from it
  std::int64_t project_every = 1;
  std::optional<double> project_above = {};

  FormulationOptions equations = {};  ///< but for `stage_projection`, which follows from `projection`

  std::optional<double> step = {};  ///< or the first one to try
  std::optional<double> tolerance = {}, absolute_tolerance = {};
  std::optional<Controller> controller = {};  ///< nothing: what suits the method
  std::string step_density = {};              ///< an expression; empty: a frequency of the motion
  double start = 0;
  std::optional<double> end = {};  ///< before the start: the run goes backwards

  std::optional<std::vector<std::string>> monitor = {};  ///< nothing: the usual ones
  bool certify = false;
  std::string reference = {};  ///< finer:K, exact, a record, or nothing
  bool growth = false;
  std::vector<std::string> periodogram = {};
  std::string section = {};  ///< an expression
  SectionDirection section_direction = SectionDirection::up;
  std::string section_out = {};

  std::string out = {};                  ///< FILE.csv, FILE.npz, FILE.h5, or - for standard output
  std::vector<std::string> record = {};  ///< what a record has; nothing: the usual
  std::int64_t compression = 1;          ///< of files of arrays
  std::optional<std::int64_t> every = {};
  std::optional<double> sample = {};
  std::string report = {};  ///< a page
  bool plot = false;        ///< on the terminal
  bool json = false, quiet = false;

  std::optional<Backend> backend = {};  ///< nothing: jit where there is one
  Precision precision = Precision::usual;

  std::string checkpoint = {};
  std::int64_t checkpoint_every = 0;

  bool operator==(const RunPlan&) const = default;

  bool is_adaptive() const { return tolerance.has_value(); }
  bool is_watched(std::string_view name) const;
  /// On a page, or on the terminal.
  bool is_shown() const { return plot || !report.empty(); }
  bool has_record() const;
  bool writes_to_stdout() const { return out == "-"; }
  /// K of a reference finer:K.
  std::optional<std::string> refinement() const;

  /// Of a settled plan: what becomes of a point after a step. `stage` and `symmetric` are parts of one.
  ProjectionPolicy policy() const;
  /// With the projection of stages.
  FormulationOptions formulation_options() const;
  /// How the functions of a run are evaluated.
  Backend chosen_backend() const;
  /// The fixed steps, and those that a controller chooses, of a plan that has them.
  TimeGridOptions grid() const;
  AdaptiveOptions adaptive() const;
};

}  // namespace cotangent
