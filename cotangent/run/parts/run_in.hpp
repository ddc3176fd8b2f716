#pragma once

#include <memory>
#include <optional>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/run/parts/run_records.hpp"
#include "cotangent/run/parts/run_watch.hpp"

namespace cotangent {

/// A run over numbers of type T: all objects of a plan, its loop and its report.
template <class T>
class RunIn {
 public:
  /// Everything up to the first step. @param model, words outlive this. @param after what a run that goes on has
  /// written of its files.
  /// @throws ModelError or OptionError for what cannot be done.
  RunIn(const Model& model, const RunPlan& plan, const RunWords& words, Notes notes, const WrittenParts& after = {});

  RunIn(const RunIn&) = delete;
  RunIn& operator=(const RunIn&) = delete;

  const RunPlan& plan() const { return machine_.parts.plan; }  ///< settled
  const Notes& notes() const { return notes_; }
  const RunMachine<T>& machine() const { return machine_; }
  RunRecords<T>& records() { return *records_; }
  RunWatch<T>& watch() { return watch_; }
  Point<T>& point() { return z_; }

  /// The parts of the loop, to add to.
  Simulation<T>& simulation() { return simulation_; }

  /// The loop. @throws ArchiveError for a checkpoint of another run.
  Summary operator()();

  /// Draws the conclusions of the loop. @param setup_seconds that it took to get to its first step.
  RunReport<T> report(Summary summary, double setup_seconds = 0);

 private:
  Notes notes_;
  RunMachine<T> machine_;
  std::optional<TimeGrid<T>> grid_;  // nothing: adaptive steps, or a method that moves the time
  RunWatch<T> watch_;
  InitialData<T> initial_;
  Point<T> z_;                               // where the run is
  std::unique_ptr<StepDensity<T>> density_;  // of adaptive steps, where one was asked for
  Simulation<T> simulation_;
  std::optional<RunRecords<T>> records_;  // opened last: nothing is written of a run that is refused
};

COTANGENT_DECLARE(PRECISIONS, RunIn);

}  // namespace cotangent
