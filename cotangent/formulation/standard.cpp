#include "cotangent/formulation/standard.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
FormulationFacts Standard<T>::sheet() {
  return {.name = "standard",
          .description = "underlying ODE with the multipliers eliminated",
          .variables = "q, p",
          .hamiltonian = false,
          .keeps_g = false,
          .keeps_psi = true,
          .keeps_H = false,
          .residuals = "g' = psi, psi' = 0",
          .derivatives = "g'', H_pp",
          .moving = "psi = G v + g_t, and f is part of p', in the equation for the multipliers too",
          .applies_to = "every system",
          .reference = "leimkuhler-reich94"};
}

template <class T>
Standard<T>::Standard(Manifold<T>& manifold, const FormulationOptions& /*options*/)
    : PhaseSpaceField<T>(sheet(), manifold) {}

template <class T>
Mask<T> Standard<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = this->begin_free(z, q_dot, p_dot);
  this->eliminate(q_dot, p_dot, found);
  this->rates(z, s_dot);
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, Standard);

}  // namespace cotangent
