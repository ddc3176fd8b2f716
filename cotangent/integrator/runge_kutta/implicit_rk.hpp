#pragma once

#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"
#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// An implicit Runge-Kutta method on a formulation z' = f(z):
///
///   Z_i = h sum_j a_ij f(z + Z_j),   z <- z + h sum_i b_i f(z + Z_i)   (compensated)
///
/// Stages that depend on each other are solved for together: all of them for a full matrix a, one after the other for a
/// triangular one. A stage that depends on earlier ones only is explicit. So no derivative of f is needed, and a step
/// costs as many evaluations of f as iterations, whatever the structure of the system.
///
/// Where the equations are stiff, h f is large beside Z, and the step is made of the stages: with w' = b'a^-1,
///
///   z <- z + sum_i w_i Z_i                                            [hairer-wanner96, IV.8]
///
/// The work done is not solved for: its increment is h sum_i b_i f. What it is added up from may cancel (forces that do
/// no work), and has no size of its own that an iteration could stop by.
///
/// The iteration starts from the polynomial through the stages of the step before, continued. Since all solves go on to
/// rounding error the guess does not change the result, nor its symmetry.
scheme::WriteStep implicit_runge_kutta(const ImplicitTableau& tableau);

}  // namespace cotangent
