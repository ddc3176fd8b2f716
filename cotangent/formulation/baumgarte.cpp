#include "cotangent/formulation/baumgarte.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

FormulationFacts with_numbers(FormulationFacts facts, const FormulationOptions& options) {
  facts.keeps_psi = options.baumgarte_alpha == 0 && options.baumgarte_beta == 0;  // then it is `standard`
  return facts;
}

}  // namespace

template <class T>
FormulationFacts Baumgarte<T>::sheet() {
  return {.name = "baumgarte",
          .description = "standard, with damped constraints (`baumgarte = ALPHA,BETA`)",
          .variables = "q, p",
          .hamiltonian = false,
          .keeps_g = false,
          .keeps_psi = false,
          .keeps_H = false,
          .residuals = "g'' + 2 alpha g' + beta^2 g = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard",
          .applies_to = "every system",
          .reference = "baumgarte72"};
}

template <class T>
Baumgarte<T>::Baumgarte(Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(with_numbers(sheet(), options), manifold),
      damping_(static_cast<LaneOf<T>>(2 * options.baumgarte_alpha)),
      stiffness_(static_cast<LaneOf<T>>(options.baumgarte_beta) * static_cast<LaneOf<T>>(options.baumgarte_beta)),
      g_value_(this->m(), T(0)),
      psi_value_(this->m(), T(0)) {}

template <class T>
Mask<T> Baumgarte<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = this->begin_free(z, q_dot, p_dot);
  if (this->m() > 0) {
    this->psi_.g(g_value_.data());
    this->psi_.psi(psi_value_.data());
    for (std::size_t r = 0; r < this->m(); ++r) psi_value_[r] = damping_ * psi_value_[r] + stiffness_ * g_value_[r];
    this->eliminate(q_dot, p_dot, found, psi_value_);
  }
  this->rates(z, s_dot);
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, Baumgarte);

}  // namespace cotangent
