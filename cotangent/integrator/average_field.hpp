#pragma once

#include <string>

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// The average vector field method,
///
///   Z = z + h int_0^1 f((1 - x) z + x Z) dx,
///
/// with the integral by Gauss quadrature at S nodes: a Runge-Kutta method with a_ij = c_i b_j, symmetric and of order
/// two. Where f = J K' it keeps K: exactly if K is a polynomial of degree 2 S at most, and otherwise up to the error of
/// the quadrature, h^(2 S + 1) per step.
///
/// Reference: [quispel-mclaren08].
MethodFacts average_field_facts(int nodes, const std::string& name);
ImplicitTableau average_field_tableau(int nodes);

/// Of `avf` without a number: enough for rounding error at the usual steps.
inline constexpr int kAverageFieldNodes = 6;

}  // namespace cotangent
