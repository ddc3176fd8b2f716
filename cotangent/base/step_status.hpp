#pragma once

#include <cstdint>

namespace cotangent {

/// Why a step ended as it did.
enum class StepStatus : std::uint8_t {
  ok,                       ///< every solve reached rounding error
  position_solve_failed,    ///< |g(Q)| stays above its rounding level: a smaller step may help
  momentum_solve_failed,    ///< |G H_p| stays above its rounding level
  multiplier_solve_failed,  ///< the equation for multipliers that forces depend on has no solution nearby
  variables_not_found,      ///< those of the formulation from q and p, or the other way round
  stage_solve_failed,       ///< the equations of the stages of an implicit method
  iteration_failed,         ///< the same, where functional iteration only was asked for
  joint_solve_failed,       ///< those of the nearest point on several constraints, or invariants, at once
  dependent_invariant,      ///< one to return to has no gradient, or none that constraints and others leave it
  singular_constraints,     ///< a constraint has no gradient, or constraints become dependent
  singular_mass,            ///< H_pp is singular across constraints that are independent
  no_multipliers,           ///< constraints are dependent there and no forces of theirs do what all of them demand
  no_step_density,          ///< what steps are to be inversely proportional to is not a positive number
  not_finite,               ///< H or g gave a number that is not finite
};

/// The reason in words, and what the user may do about it.
const char* describe(StepStatus status);
const char* advice(StepStatus status);

}  // namespace cotangent
