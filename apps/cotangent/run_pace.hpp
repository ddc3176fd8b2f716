#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/simulation/simulate.hpp"
#include "run_machine.hpp"

/// How long the steps of a run are: those of a grid, or those that a controller chooses.
template <class T>
class RunPace {
 public:
  /// A step that was made smaller is noted.
  RunPace(const RunChoices& choices, std::vector<std::string>& notes);

  /// Chooses the controller of adaptive steps, and the density that was asked for. @param z where the run starts.
  /// @throws cotangent::ModelError for a density that is none, and a controller that the method does not permit.
  void settle(const RunMachine<T>& machine, const cotangent::PhasePoint<T>& z, std::vector<std::string>& notes);

  const std::optional<cotangent::AdaptiveOptions>& adaptive() const { return adaptive_; }

  /// The run. @pre settle()
  cotangent::Summary operator()(const cotangent::Simulation<T>& simulation, cotangent::PhasePoint<T>& z) const;

 private:
  std::optional<cotangent::TimeGrid<T>> grid_;
  std::optional<cotangent::AdaptiveOptions> adaptive_;  // instead of it
  std::unique_ptr<cotangent::StepDensity<T>> density_;
};
