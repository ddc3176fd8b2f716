#pragma once

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// Gonzalez' midpoint discrete gradient on a Hamiltonian formulation x' = f(x) = J K'(x), with K(x) = H(q, p):
///
///   X = x + D,   D = h (f(m) + c J D),   m = x + D / 2,   c = (K(X) - K(x) - K'(m).D) / |D|^2
///
/// so that K(X) = K(x), to rounding. Symmetric and of order two.
///
/// Reference: [gonzalez96].
MethodFacts discrete_gradient_facts();
scheme::Step discrete_gradient(const scheme::Writer& w, const scheme::PhaseSums& z, scheme::Num h,
                               const scheme::Remembered& before);

/// @throws std::invalid_argument where H is not conserved, or the formulation is not Hamiltonian.
void expect_conserved_energy(const Structure& system, bool is_hamiltonian);

}  // namespace cotangent
