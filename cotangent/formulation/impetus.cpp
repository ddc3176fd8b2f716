#include "cotangent/formulation/impetus.hpp"

#include <algorithm>

#include "cotangent/solve/stopping.hpp"

namespace cotangent {

template <class T>
FormulationFacts Impetus<T>::sheet() {
  return {.name = "impetus",
          .description = "impetus-striction (--impetus-reset K, --impetus-reset-above EPS)",
          .variables = "q, p* = p + G' l",
          .hamiltonian = true,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .residuals = "g' = 0, psi = 0",
          .derivatives = "g'', H_pp",
          .moving = "l from G H_p + g_t = 0, p*' has (l.g_t)_q; f is part of p*'",
          .applies_to = "every system",
          .reference = "seiler99"};
}

template <class T>
Impetus<T>::Impetus(Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(sheet(), manifold),
      is_quadratic_(manifold.system().vanishes(
          {.directions = {{.q = false, .p = true}, {.q = false, .p = true}}, .result = Contraction::Result::gradient_p})),
      reset_(options.impetus_reset),
      reset_above_(options.impetus_reset_above),
      p_(this->n(), T(0)),
      striction_(this->m(), T(0)),
      correction_(striction_),
      pulled_back_(p_) {}

template <class T>
Mask<T> Impetus<T>::momentum(const T* q, const T* impetus, const T& t) {
  const std::size_t n = this->n(), m = this->m();
  std::copy_n(impetus, n, p_.begin());
  std::fill(striction_.begin(), striction_.end(), T(0));
  if (m == 0) return Mask<T>(true);
  const PointRef<T> at(q, p_.data(), nullptr, t);
  Mask<T> regular(true);
  bool is_factored = false;
  RoundingStop<T> stop;
  while (true) {
    this->psi_.at(at);
    this->psi_.psi(correction_.data());
    if (!is_factored || !is_quadratic_) regular = regular & this->factor(at);
    is_factored = true;
    this->solve(correction_);
    for (std::size_t r = 0; r < m; ++r) striction_[r] += select(stop.active(), correction_[r], T(0));
    this->psi_.pull_back(striction_.data(), pulled_back_.data());
    T change(0), size(0);
    for (std::size_t j = 0; j < n; ++j) {
      const T next = impetus[j] - pulled_back_[j];
      const T moved = abs(next - p_[j]);
      change = select(isfinite(moved), max(change, moved), T(infinity<T>()));
      size = max(size, abs(impetus[j]) + abs(pulled_back_[j]));
      p_[j] = next;
    }
    if (!stop.update(change, T(4 * epsilon<T>()) * size)) break;
  }
  return regular & stop.converged();
}

template <class T>
Mask<T> Impetus<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found = momentum(z.q, z.p, z.t);
  const PointRef<T> physical(z.q, p_.data(), z.s, z.t);
  if (this->manifold_.forcing().uses_multipliers()) {
    found = found & this->begin(physical);
  } else {
    this->forces(physical);
  }
  const std::vector<T>& v = this->psi_.v();
  std::copy(v.begin(), v.end(), q_dot);
  std::copy(this->F_.begin(), this->F_.end(), p_dot);
  if (this->m() > 0) {
    this->psi_.curvature_along_motion(striction_.data(), pulled_back_.data());
    for (std::size_t j = 0; j < this->n(); ++j) p_dot[j] += pulled_back_[j];
  }
  // The work that a moving constraint does needs the multipliers of the motion.
  if (this->manifold_.system().has_work() && this->m() > 0) {
    this->psi_.along(v.data(), this->F_.data(), true, this->lambda_.data());
    if (!is_quadratic_) found = found & this->factor(physical);
    this->solve(this->lambda_);
  }
  this->rates(physical, s_dot);
  return found;
}

template <class T>
Mask<T> Impetus<T>::enter(const PhasePoint<T>& physical, OwnVariables<T>& own) {
  own.q = physical.q;
  own.p = physical.p;
  own.q_low = physical.q_low;
  own.p_low = physical.p_low;
  return Mask<T>(true);
}

template <class T>
Mask<T> Impetus<T>::leave(const OwnVariables<T>& own, PhasePoint<T>& physical) {
  const Mask<T> found = momentum(own.q.data(), own.p.data(), T(physical.t));
  physical.q = own.q;
  physical.q_low = own.q_low;
  physical.p = p_;
  std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
  return found;
}

template <class T>
bool Impetus<T>::is_worn(const OwnVariables<T>& own, const PhasePoint<T>& physical) const {
  if (reset_ > 0 && own.steps >= reset_) return true;
  if (!(reset_above_ > 0)) return false;
  T largest(0);
  for (std::size_t j = 0; j < own.p.size(); ++j) largest = max(largest, abs(own.p[j] - physical.p[j]));
  return any(largest > T(static_cast<LaneOf<T>>(reset_above_)));
}

template class Impetus<double>;
template class Impetus<long double>;
template class Impetus<Quad>;
template class Impetus<Lanes>;

}  // namespace cotangent
