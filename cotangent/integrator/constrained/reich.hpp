#pragma once

#include <string>

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

/// A step of any method Phi_h between two momentum projections, so that both constraints hold afterwards:
///
///   p' = p - G(q, t)' l               l from 0 = g(Q, t + h)
///   (Q, P') = Phi_h(q, p')
///   P = P' - G(Q, t + h)' m           m from 0 = psi(Q, P, t + h)
///
/// A kick by -G' l is, on g = 0, the flow of the Hamiltonian l.g, however l depends on the point. So if Phi_h is
/// symplectic in the whole phase space the composition is so on the manifold: a position projection would not be, but
/// one that comes about through the momenta is. If Phi_h is symmetric the composition is, with l and m exchanged.
///
/// Phi_h integrates one of two fields.
///
/// - One that has the constrained motion on the manifold, `total` or `standard`: the residuals of a step of order r are
///   O(h^(r+1)), so are the changes that l and m make in the motion, and the order is kept. `total` is Hamiltonian off
///   the manifold, too. Formulations that keep g whatever psi is do not feel l and cannot be used.
/// - That of H alone, where Phi_h is a splitting: l and m are then the impulses of the constraint forces at both ends.
///   The order is two at most. With Phi_h = kick, drift, kick this is RATTLE.
///
/// l is found by Newton's method with dQ/dl = -h H_pp G(q)' up to higher powers of h; each iteration is a step of
/// Phi_h.
///
/// References: [reich96]; [seiler99, section 7].
/// @param facts of Phi_h.
/// @throws std::invalid_argument if there is no such composition of that method.
SchemeMethod reich(const std::string& name, const MethodFacts& facts);

}  // namespace cotangent
