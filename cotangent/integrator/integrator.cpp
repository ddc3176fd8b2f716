#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

const char* describe(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "every solve reached rounding error";
    case StepStatus::position_solve_failed:
      return "the solve for g(q) = 0 did not converge";
    case StepStatus::momentum_solve_failed:
      return "the solve for G H_p = 0 did not converge";
    case StepStatus::singular_constraints:
      return "the constraints became dependent: G H_pp G' is singular";
    case StepStatus::not_finite:
      return "H or a constraint gave a number that is not finite";
  }
  return "";
}

const char* advice(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "";
    case StepStatus::position_solve_failed:
      return "try a smaller step";
    case StepStatus::momentum_solve_failed:
      return "try a smaller step; check that H_pp is regular there";
    case StepStatus::singular_constraints:
      return "remove constraints that follow from others, or start elsewhere";
    case StepStatus::not_finite:
      return "try a smaller step; look for a division by zero or a collision";
  }
  return "";
}

}  // namespace cotangent
