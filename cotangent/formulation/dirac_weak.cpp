#include "cotangent/formulation/dirac_weak.hpp"

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// g' = alpha g is no longer zero, and neither is H'.
FormulationFacts with_gauge(FormulationFacts facts, double alpha) {
  facts.keeps_g = facts.keeps_g && alpha == 0;
  facts.keeps_H = facts.keeps_H && alpha == 0;
  return facts;
}

}  // namespace

template <class T>
FormulationFacts DiracWeak<T>::sheet() {
  return {.name = "dirac-weak",
          .description = "weakly Hamiltonian Dirac formulation (`gauge = ALPHA`)",
          .variables = "q, p",
          .hamiltonian = false,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .residuals = "g' = 0, psi' = 0; with a gauge g' = alpha g",
          .derivatives = "g'', H_pp",
          .moving = "psi = G v + g_t, b has psi_t; f is part of F in p' and in the equation for mu",
          .applies_to = "every system",
          .reference = "leimkuhler-reich94"};
}

template <class T>
FormulationFacts DiracWeak<T>::hamilton_dirac_sheet() {
  FormulationFacts facts = sheet();
  facts.name = "hamilton-dirac";
  facts.description = "Hamilton-Dirac equations, z' = {z, H} with the Dirac bracket: the field of dirac-weak";
  facts.residuals = "g' = 0, psi' = 0";
  facts.reference = "seiler99";
  return facts;
}

template <class T>
DiracWeak<T>::DiracWeak(FormulationFacts facts, Manifold<T>& manifold, double gauge)
    : PhaseSpaceField<T>(with_gauge(std::move(facts), gauge), manifold),
      gauge_(static_cast<LaneOf<T>>(gauge)),
      eta_(this->m(), T(0)),
      g_value_(eta_),
      e_q_(this->n(), T(0)),
      e_p_(e_q_) {}

template <class T>
Mask<T> DiracWeak<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = this->begin_free(z, q_dot, p_dot);
  if (this->m() > 0) {
    this->psi_.psi(eta_.data());
    this->psi_.g(g_value_.data());
    for (std::size_t r = 0; r < this->m(); ++r) eta_[r] = gauge_ * g_value_[r] - eta_[r];
    this->solve_residuals(eta_);
    this->psi_.gradient(eta_.data(), e_q_.data(), e_p_.data());
    for (std::size_t j = 0; j < this->n(); ++j) {
      q_dot[j] += e_p_[j];
      p_dot[j] -= e_q_[j];
    }
    this->eliminate(q_dot, p_dot, found);
  }
  this->rates(z, s_dot);
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, DiracWeak);

}  // namespace cotangent
