#pragma once

#include <csignal>
#include <functional>
#include <vector>

#include "cotangent/analysis/series.hpp"
#include "cotangent/base/archive.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/simulation/pace/adaptive_options.hpp"
#include "cotangent/simulation/pace/step_density.hpp"
#include "cotangent/simulation/pace/time_grid.hpp"
#include "cotangent/simulation/recorder.hpp"
#include "cotangent/simulation/summary.hpp"

namespace cotangent {

/// How far a run is.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;  ///< 0: not known
  double start = 0, time = 0, end = 0;
  double seconds = 0;  ///< since it began
};

/// When a run is kept so that it can go on later, and where it goes on.
///
/// A run that is resumed is the same, to the bit, as one that goes on; writing a checkpoint changes nothing.
struct Checkpoints {
  /// Calls the function that it is given with an archive, and keeps that. @throws std::runtime_error if it cannot.
  std::function<void(double time, const std::function<void(Archive&)>& state)> keep = {};
  std::int64_t every = 0;   ///< kept after every so many steps, and in any case at the end; 0: there only
  Archive* from = nullptr;  ///< a state to go on from
};

/// What a run is made of. All of it is for the same manifold and outlives the run.
template <class T>
struct Simulation {
  Integrator<T>& integrator;
  MonitorSet<T>& monitors;
  Manifold<T>& manifold;
  Recorder<T>* recorder = nullptr;
  /// Called about ten times a second.
  std::function<void(const Progress&)> progress = {};
  /// A run stops after the step during which this becomes nonzero, see Interruption: set by the handler of SIGINT.
  const volatile std::sig_atomic_t* interrupted = nullptr;
  /// What every monitor saw, with its sign, at the start and after each step, by the time since the start: one for each
  /// of monitors.list().
  std::vector<Series>* series = nullptr;
  /// Of which monitors the start is left out of the series; none if there is no such function.
  std::function<bool(const Monitor<T>&)> begins_after_step = {};
  Checkpoints checkpoints = {};
};

/// Carries z along the grid, from its start or from a checkpoint. The only time loop for a single trajectory: step,
/// observe, record.
///
/// Nothing is allocated per step, and nothing is compiled: one step is rehearsed on a copy before the clock
/// starts. A failing step and a point or monitor that is not finite end the run with
/// z, the monitors and the records as they were before the step. A recorder that fails ends the run after the step.
///
/// A step that takes long after a request to stop is given up, and the point before it is the end.
///
/// A run that is resumed makes no record of its first point.
/// @throws ArchiveError if simulation.checkpoints.from is not the state of such a run.
/// @throws Interrupted if what comes before the first step is given up.
template <class T>
[[nodiscard]] Summary simulate(const Simulation<T>& simulation, const TimeGrid<T>& grid, Point<T>& z);

/// The same with steps that are chosen as the run goes, see adaptive_stepper.hpp. A step that fails is made again,
/// shorter, until it cannot be.
/// @param density for Controller::reversible; FrequencyDensity if there is none.
template <class T>
[[nodiscard]] Summary simulate(const Simulation<T>& simulation, const AdaptiveOptions& options, Point<T>& z,
                               StepDensity<T>* density = nullptr);

}  // namespace cotangent
