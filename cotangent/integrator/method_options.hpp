#pragma once

#include "cotangent/projection/scaling_sets.hpp"
#include "cotangent/solve/iteration/fixed_point_solver.hpp"

namespace cotangent {

/// The freedom that methods have beside their names.
struct MethodOptions {
  FixedPointSolver solver = FixedPointSolver::automatic;  ///< of the equations of implicit methods
  ScalingSets sets = {};                                  ///< of methods that scale sets of variables

  double tolerance = 0;  ///< relative, of methods that suit their order to it; 0: there is none

  bool operator==(const MethodOptions&) const = default;
};

}  // namespace cotangent
