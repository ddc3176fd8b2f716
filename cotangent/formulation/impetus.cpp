#include "cotangent/formulation/impetus.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
FormulationFacts Impetus<T>::sheet() {
  return {.name = "impetus",
          .description = "impetus-striction (`impetus-reset = K`, `impetus-reset-above = EPS`)",
          .variables = "q, p* = p + G' l",
          .is_physical = false,
          .hamiltonian = true,
          .keeps_g = true,
          .keeps_psi = true,
          .keeps_H = true,
          .on_momentum = true,
          .residuals = "g' = 0, psi = 0",
          .derivatives = "g'', H_pp",
          .moving = "l from G H_p + g_t = 0, p*' has (l.g_t)_q; f is part of p*'",
          .applies_to = "every system",
          .reference = "seiler99"};
}

template <class T>
FormulationFacts Impetus<T>::claims(Manifold<T>& manifold, const FormulationOptions& options) {
  FormulationFacts facts = sheet();
  const bool resets = options.impetus_reset > 0 || options.impetus_reset_above > 0;
  const Contraction::Direction along{.q = true, .t = true};
  const Contraction third{.of = Contraction::Of::g, .directions = {along, along, along}};
  facts.hamiltonian = !resets || manifold.system().m() == 0 || manifold.system().vanishes(third);
  return facts;
}

template <class T>
Impetus<T>::Impetus(Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(claims(manifold, options), manifold),
      striction_(manifold, this->psi_),
      reset_(options.impetus_reset),
      reset_above_(options.impetus_reset_above),
      curvature_(this->n(), T(0)) {}

template <class T>
Mask<T> Impetus<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  Mask<T> found(true);
  this->narrow_to_momentum(found, striction_.solve(z.q, z.p, z.t));
  const PointRef<T> physical(z.q, striction_.p().data(), z.s, z.t);
  found = this->find_forces(physical, found);
  const std::vector<T>& v = this->psi_.v();
  std::copy(v.begin(), v.end(), q_dot);
  std::copy(this->F_.begin(), this->F_.end(), p_dot);
  if (this->m() > 0) {
    this->psi_.curvature_along_motion(striction_.strictions().data(), curvature_.data());
    for (std::size_t j = 0; j < this->n(); ++j) p_dot[j] += curvature_[j];
  }
  found = this->multipliers_for_work(physical, striction_.leaves_factors(), found);
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
  Mask<T> found(true);
  this->narrow_to_momentum(found, striction_.solve(own.q.data(), own.p.data(), T(physical.t)));
  physical.q = own.q;
  physical.q_low = own.q_low;
  physical.p = striction_.p();
  std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
  return found;
}

template <class T>
Mask<T> Impetus<T>::is_worn(const OwnVariables<T>& own, const PhasePoint<T>& physical) const {
  if (reset_ > 0 && own.steps % reset_ == 0) return Mask<T>(true);
  if (!(reset_above_ > 0)) return Mask<T>(false);
  T largest(0);
  for (std::size_t j = 0; j < own.p.size(); ++j) largest = max(largest, abs(own.p[j] - physical.p[j]));
  return largest > T(static_cast<LaneOf<T>>(reset_above_));
}

COTANGENT_INSTANTIATE(NUMBERS, Impetus);

}  // namespace cotangent
