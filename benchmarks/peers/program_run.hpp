#pragma once

#include <memory>

#include "benchmarks/peers/problems.hpp"
#include "cotangent/run/parts/run_in.hpp"

namespace cotangent::peers {

/// A run of the program that can be made again: what was compiled stays.
class ProgramRun {
 public:
  /// @param options beside the end of the task.
  ProgramRun(const Task& task, const PlanWords& options);

  /// From the start to the end. @throws std::runtime_error if it does not get there.
  Summary operator()();

  /// (q, p) that were reached.
  Vector end() const;

 private:
  std::unique_ptr<RunIn<double>> make(const Task& task, const PlanWords& options);

  RunWords words_;
  Model model_;
  std::unique_ptr<RunIn<double>> run_;
  Point<double> start_;
};

}  // namespace cotangent::peers
