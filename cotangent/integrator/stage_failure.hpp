#pragma once

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/solve/fixed_point_solver.hpp"

namespace cotangent {

/// What it is called that the equations of stages were not solved in that way.
inline StepStatus stage_failure(FixedPointSolver solver) {
  return solver == FixedPointSolver::functional ? StepStatus::iteration_failed : StepStatus::stage_solve_failed;
}

}  // namespace cotangent
