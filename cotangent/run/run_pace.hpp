#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/run/run_machine.hpp"
#include "cotangent/simulation/simulate.hpp"

namespace cotangent {

/// How long the steps of a run are: those of a grid, or those that a controller chooses.
template <class T>
class RunPace {
 public:
  /// A step that was made smaller is noted.
  RunPace(const RunPlan& plan, Notes& notes);

  /// Makes the density of adaptive steps that was asked for. @param z where the run starts.
  /// @throws ModelError for a density that is none.
  void settle(const RunMachine<T>& machine, const PhasePoint<T>& z, Notes& notes);

  const std::optional<AdaptiveOptions>& adaptive() const { return adaptive_; }

  /// The run. @pre settle()
  Summary operator()(const Simulation<T>& simulation, Point<T>& z) const;

 private:
  std::optional<TimeGrid<T>> grid_;
  std::optional<AdaptiveOptions> adaptive_;  // instead of it
  std::unique_ptr<StepDensity<T>> density_;
};

}  // namespace cotangent
