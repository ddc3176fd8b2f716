#include "cotangent/base/step_status.hpp"

namespace cotangent {
namespace {

struct Words {
  const char *reason, *advice;
};

Words words_for(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return {"every solve reached rounding error", ""};
    case StepStatus::position_solve_failed:
      return {"the solve for g(q) = 0 did not converge", "try a smaller step"};
    case StepStatus::momentum_solve_failed:
      return {"the solve for G H_p = 0 did not converge", "try a smaller step; check that H_pp is regular there"};
    case StepStatus::multiplier_solve_failed:
      return {"the equation for the multipliers that forces depend on was not solved",
              "try a smaller step; friction that strong may leave no motion at all"};
    case StepStatus::variables_not_found:
      return {"the variables of the formulation were not found from q and p, or q and p from them",
              "try a smaller step; under lagrange-2 see that [minimal] goes on from here: a branch such as y = sqrt(1 "
              "- a^2) ends where its root vanishes"};
    case StepStatus::stage_solve_failed:
      return {"Newton's method for the stages of the method did not converge", "try a smaller step"};
    case StepStatus::iteration_failed:
      return {"functional iteration for the stages of the method did not converge",
              "use `solver = newton` or `solver = auto`, or try a smaller step"};
    case StepStatus::joint_solve_failed:
      return {"the iteration for the nearest point that meets all that it is projected to did not converge",
              "try a smaller step, or project more often"};
    case StepStatus::dependent_invariant:
      return {
          "an invariant could not be returned to: it has hardly a gradient here, or one that follows from those of the "
          "constraints and the other invariants, and its value is not found nearby",
          "leave it out of `project-invariants` or project:...; see that it is an invariant, and does not contradict "
          "the others; at an equilibrium the energy has no gradient"};
    case StepStatus::singular_constraints:
      return {"G H_pp G' is singular: a constraint has no gradient here, or constraints become dependent on the way",
              "check that every constraint has a gradient there; try a smaller step"};
    case StepStatus::singular_mass:
      return {
          "H_pp is singular here or on the way, as a whole or across the constraints: momenta become infinite there",
          "check that H has a kinetic energy in every direction, and that its parts do not cancel there"};
    case StepStatus::no_multipliers:
      return {"constraints are dependent here, and no constraint forces do what all of them demand",
              "a motion through a position in which constraints become dependent may go on in several ways, or not at "
              "all: look there for a branch; off the constraints, try a smaller step or `projection = both`"};
    case StepStatus::no_step_density:
      return {"the density of steps is not a positive number here",
              "give a `step-density` that is positive wherever the motion goes"};
    case StepStatus::not_finite:
      return {"a function of the model gave a number that is not finite",
              "try a smaller step; look for a division by zero or a collision"};
  }
  return {"", ""};
}

}  // namespace

const char* describe(StepStatus status) { return words_for(status).reason; }
const char* advice(StepStatus status) { return words_for(status).advice; }

}  // namespace cotangent
