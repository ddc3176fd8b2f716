#include "cotangent/formulation/total.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
FormulationFacts Total<T>::sheet() {
  return {.name = "total",
          .description = "Hamiltonian system of H + mu'g",
          .variables = "q, p",
          .hamiltonian = true,
          .keeps_g = false,
          .keeps_psi = false,
          .keeps_H = false,
          .residuals = "a saddle: g' = psi + {g, mu} g, psi' = {psi, mu} g to first order",
          .derivatives = "g''', H'''",
          .moving = "t joins the coordinates: psi = G v + g_t, b has psi_t; of f what constraints admit",
          .applies_to = "every system with third derivatives",
          .reference = "leimkuhler-reich94"};
}

template <class T>
Total<T>::Total(Manifold<T>& manifold, const FormulationOptions& /*options*/)
    : PhaseSpaceField<T>(sheet(), manifold),
      a_(this->m(), T(0)),
      a_q_(this->n(), T(0)),
      a_p_(a_q_),
      by_q_(a_q_),
      by_p_(a_q_) {}

template <class T>
Mask<T> Total<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = this->begin(z);
  HiddenConstraint<T>& psi = this->psi_;
  const std::vector<T>& v = psi.v();
  const std::vector<T>& F = this->conservative_force(z);
  const std::size_t n = this->n();
  if (this->m() == 0) {
    std::copy(v.begin(), v.end(), q_dot);
    std::copy(F.begin(), F.end(), p_dot);
  } else {
    const std::vector<T>& mu = this->lambda_;
    std::copy(F.begin(), F.end(), p_dot);
    this->eliminate(v.data(), p_dot, found);  // -H_q - M

    psi.g(a_.data());
    this->solve_residuals(a_);
    psi.gradient(a_.data(), a_q_.data(), a_p_.data());
    psi.second(a_.data(), v.data(), p_dot, Time::moves, by_q_.data(), q_dot);
    for (std::size_t j = 0; j < n; ++j) {
      q_dot[j] += v[j];
      p_dot[j] -= by_q_[j];
      a_q_[j] = -a_q_[j];
    }
    psi.H_q_along(a_p_.data(), a_q_.data(), by_q_.data());
    psi.H_p_along(a_p_.data(), a_q_.data(), Time::held, by_p_.data());
    for (std::size_t j = 0; j < n; ++j) {
      q_dot[j] -= by_p_[j];
      p_dot[j] += by_q_[j];
    }
    psi.curvature(mu.data(), a_p_.data(), Time::held, by_q_.data());
    for (std::size_t j = 0; j < n; ++j) p_dot[j] += by_q_[j];
  }
  this->add_admitted_forces(p_dot, found);
  this->rates(z, s_dot);
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, Total);

}  // namespace cotangent
