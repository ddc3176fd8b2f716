#include "cotangent/formulation/ggl.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
FormulationFacts Ggl<T>::sheet() {
  return {.name = "ggl",
          .description = "stabilised index-2 form of Gear, Gupta and Leimkuhler",
          .variables = "q, p",
          .hamiltonian = false,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = false,
          .residuals = "g' = 0, psi' = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard, and mu from psi = G v + g_t",
          .applies_to = "every system",
          .reference = "gear-gupta-leimkuhler85"};
}

template <class T>
Ggl<T>::Ggl(Manifold<T>& manifold, const FormulationOptions& /*options*/)
    : PhaseSpaceField<T>(sheet(), manifold), mu_(this->m(), T(0)), G_mu_(this->n(), T(0)), correction_(G_mu_) {}

template <class T>
Mask<T> Ggl<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = this->begin_free(z, q_dot, p_dot);
  if (this->m() > 0) {
    this->psi_.psi(mu_.data());
    this->solve_residuals(mu_);
    this->psi_.Gt_times(mu_.data(), G_mu_.data());
    this->psi_.H_pp_times(G_mu_.data(), correction_.data());
    for (std::size_t j = 0; j < this->n(); ++j) q_dot[j] -= correction_[j];
    this->eliminate(q_dot, p_dot, found);
  }
  this->rates(z, s_dot);
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, Ggl);

}  // namespace cotangent
