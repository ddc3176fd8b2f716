#pragma once

#include "cotangent/solve/iteration/fixed_point_solver.hpp"

namespace cotangent {

/// The freedom that methods have beside their names.
struct MethodOptions {
  FixedPointSolver solver = FixedPointSolver::automatic;  ///< of the equations of implicit methods

  bool operator==(const MethodOptions&) const = default;
};

}  // namespace cotangent
