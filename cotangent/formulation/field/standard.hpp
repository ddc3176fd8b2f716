#pragma once

#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {

/// The standard underlying ODE: the multipliers are eliminated by differentiating the constraints twice.
///
///   q' = v = H_p
///   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)],   R = G H_pp G',
///
/// with F = -H_q + forces and psi = G v + g_t, so that psi' = 0. Off the manifold g' = psi: g grows linearly, and psi
/// stays what it is; the field is not Hamiltonian there.
///
/// Reference: [leimkuhler-reich94, eq. 1.6]; [seiler99, eq. 15-16].
template <class T>
class Standard final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet() {
    return {.name = "standard",
            .description = "underlying ODE with the multipliers eliminated",
            .keeps_psi = true,
            .residuals = "g' = psi, psi' = 0",
            .derivatives = "g'', H_pp",
            .moving = "psi = G v + g_t, and f is part of p', in the equation for the multipliers too",
            .reference = "leimkuhler-reich94"};
  }

  explicit Standard(Manifold<T>& manifold, const FormulationOptions& /*options*/ = {})
      : PhaseSpaceField<T>(facts_for(manifold), manifold) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin_free(z, q_dot, p_dot);
    this->eliminate(q_dot, p_dot, found);
    this->rates(z, s_dot);
    return found;
  }

 private:
  // Without constraints these are Hamilton's equations.
  static FormulationFacts facts_for(Manifold<T>& manifold) {
    FormulationFacts facts = sheet();
    facts.hamiltonian = manifold.system().m() == 0;
    return facts;
  }
};

COTANGENT_DECLARE(NUMBERS, Standard);

}  // namespace cotangent
