#include "cotangent/formulation/dirac.hpp"

#include <algorithm>

namespace cotangent {

template <class T>
FormulationFacts Dirac<T>::sheet() {
  return {.name = "dirac",
          .description = "Dirac's Hamiltonian underlying ODE, H + mu'g + eta'psi (--gauge ALPHA)",
          .variables = "q, p",
          .hamiltonian = true,
          .keeps_g = false,
          .keeps_psi = false,
          .keeps_H = false,
          .residuals =
              "g' = -psi + ({g, mu0} + S R^-1) g, psi' = ({psi, mu0} + (S R^-1)^2) g - S R^-1 psi to first order, "
              "mu0 = R^-1 b: a centre for one constraint",
          .derivatives = "g''', H'''",
          .moving = "t joins the coordinates: psi = G v + g_t, b has psi_t; of f what constraints admit",
          .applies_to = "every system with third derivatives",
          .reference = "leimkuhler-reich94"};
}

template <class T>
Dirac<T>::Dirac(Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(sheet(), manifold),
      gauge_(static_cast<LaneOf<T>>(options.gauge)),
      g_value_(this->m(), T(0)),
      psi_value_(g_value_),
      eta_(g_value_),
      a_(g_value_),
      k_(g_value_),
      weights_(g_value_),
      e_q_(this->n(), T(0)),
      e_p_(e_q_),
      a_q_(e_q_),
      a_p_(e_q_),
      x_(e_q_),
      y_(e_q_),
      result_q_(e_q_),
      result_p_(e_q_) {}

template <class T>
Mask<T> Dirac<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  const Mask<T> found = this->begin(z);
  HiddenConstraint<T>& psi = this->psi_;
  const std::vector<T>& v = psi.v();
  const std::vector<T>& F = this->conservative_force(z);
  const std::size_t n = this->n(), m = this->m();
  std::copy(v.begin(), v.end(), q_dot);
  std::copy(F.begin(), F.end(), p_dot);
  if (m > 0) {
    // The multipliers.
    psi.g(g_value_.data());
    psi.psi(psi_value_.data());
    for (std::size_t r = 0; r < m; ++r) eta_[r] = gauge_ * g_value_[r] - psi_value_[r];
    this->solve(eta_);
    psi.gradient(eta_.data(), e_q_.data(), e_p_.data());
    for (std::size_t j = 0; j < n; ++j) {
      x_[j] = v[j] + e_p_[j];
      y_[j] = F[j] - e_q_[j];
    }
    std::vector<T>& mu = this->lambda_;
    psi.along(x_.data(), y_.data(), true, mu.data());
    this->solve(mu);
    this->subtract_pull_back(mu, y_.data());  // (x, y) is now the field of dirac-weak

    // Their adjoints.
    a_ = g_value_;
    this->solve(a_);
    psi.gradient(a_.data(), a_q_.data(), a_p_.data());
    for (std::size_t j = 0; j < n; ++j) result_q_[j] = -a_q_[j];
    psi.along(a_p_.data(), result_q_.data(), false, k_.data());
    for (std::size_t r = 0; r < m; ++r) k_[r] = psi_value_[r] - k_[r];
    this->solve(k_);

    // The differential, term by term as in the header.
    const auto add = [&](LaneOf<T> sign) {
      for (std::size_t j = 0; j < n; ++j) {
        q_dot[j] += T(sign) * result_p_[j];
        p_dot[j] -= T(sign) * result_q_[j];
      }
    };
    for (std::size_t r = 0; r < m; ++r) weights_[r] = mu[r] + gauge_ * k_[r];
    this->subtract_pull_back(weights_, p_dot);
    for (std::size_t r = 0; r < m; ++r) weights_[r] = eta_[r] - k_[r];
    psi.gradient(weights_.data(), result_q_.data(), result_p_.data());
    add(1);
    psi.second(a_.data(), x_.data(), y_.data(), true, result_q_.data(), result_p_.data());
    add(1);
    psi.pull_back(k_.data(), y_.data());
    for (std::size_t j = 0; j < n; ++j) y_[j] -= a_q_[j];
    psi.second(eta_.data(), a_p_.data(), y_.data(), false, result_q_.data(), result_p_.data());
    add(-1);
    psi.curvature(k_.data(), e_p_.data(), result_q_.data());
    for (std::size_t j = 0; j < n; ++j) p_dot[j] += result_q_[j];
    psi.curvature(mu.data(), a_p_.data(), result_q_.data());
    for (std::size_t j = 0; j < n; ++j) {
      p_dot[j] += result_q_[j];
      x_[j] = -a_p_[j];
    }
    psi.energy_second(x_.data(), a_q_.data(), result_q_.data(), result_p_.data());
    add(1);
  }
  this->add_admitted_forces(p_dot);
  this->rates(z, s_dot);
  return found;
}

template class Dirac<double>;
template class Dirac<long double>;
template class Dirac<Quad>;
template class Dirac<Tangents>;
template class Dirac<Lanes>;

}  // namespace cotangent
