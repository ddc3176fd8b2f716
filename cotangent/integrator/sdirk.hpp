#pragma once

#include "cotangent/integrator/implicit_rk.hpp"

namespace cotangent {

/// A singly diagonally implicit Runge-Kutta method of order four with five stages, L-stable and stiffly accurate: its
/// stages are found one after the other.
///
/// Reference: [hairer-wanner96, IV.6, table 6.5].
MethodFacts sdirk4_facts();
ImplicitTableau sdirk4_tableau();

}  // namespace cotangent
