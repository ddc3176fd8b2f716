#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/periodogram.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/simulation/certificate/certificate.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// How far the initial data were moved onto the constraints: max |dq|, max |dp|.
struct InitialChange {
  double position = 0;
  double momentum = 0;
};

struct NamedPeriodogram {
  std::string name;
  Periodogram periodogram;
};

/// A Poincaré section: how many points it has, and where they are.
struct SectionReport {
  std::int64_t count = 0;
  std::optional<std::string> file;
};

/// The facts about a finished run, the same for the table and for JSON.
template <class T>
struct RunReport {
  const Model& model;
  const Elements& elements;
  std::string method, formulation, projection, backend, precision;
  double setup_seconds = 0;  ///< from the start of the process to the first step
  Summary summary;
  const PhasePoint<T>& z;                       ///< the last point
  std::vector<T> velocities;                    ///< H_p there
  std::vector<T> multipliers;                   ///< there, one per row of g; empty if they are not determined
  std::vector<T> observables;                   ///< there, one per row
  std::optional<T> work;                        ///< done by forces, driving and moving constraints, where there are any
  std::optional<InitialChange> initial_change;  ///< if the initial data were moved
  std::optional<Certificate> certificate;       ///< if one was asked for
  std::vector<std::string> notes;
  std::vector<NamedPeriodogram> periodograms = {};
  std::optional<SectionReport> section = {};
  std::vector<std::string> kept_invariants = {};  ///< to which points return after steps
};

/// Whether a summary has the numbers of the last point: state, multipliers and observables.
enum class WithPoint : bool { no, yes };

/// The summary as JSON, with the keys of the user's manual.
template <class T>
Json summary_json(const RunReport<T>& report, WithPoint point);

/// The same as a text, with the last point.
template <class T>
std::string json_summary(const RunReport<T>& report);

/// The summary as a short table; the state is left out where it is long.
template <class T>
std::string table_summary(const RunReport<T>& report);

/// Why a run failed, and what may be done about it; empty where nothing is known.
std::string reason(const Failure& failure);
std::string advice(const Failure& failure);

/// The failure as one sentence, and what may be done about it as a second one.
std::string describe(const Failure& failure);

}  // namespace cotangent
