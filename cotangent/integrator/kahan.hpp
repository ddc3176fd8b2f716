#pragma once

#include "cotangent/integrator/implicit_rk.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Kahan's method for quadratic fields f, in which every product x y of f is replaced by its polarisation
/// (x Y + X y) / 2. It is a Runge-Kutta method,
///
///   Z = z + h (2 f((z + Z) / 2) - f(z) / 2 - f(Z) / 2),
///
/// symmetric and of order two. For Hamiltonians of degree three it has a first integral and an invariant measure, both
/// near the exact ones.
///
/// Reference: [celledoni-mclachlan-owren-quispel13].
MethodFacts kahan_facts();
ImplicitTableau kahan_tableau();

/// @throws std::invalid_argument unless there are no constraints or forces, and H is a polynomial of degree three.
template <class T>
void expect_quadratic_field(System<T>& system);

}  // namespace cotangent
