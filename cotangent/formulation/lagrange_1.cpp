#include "cotangent/formulation/lagrange_1.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
FormulationFacts Lagrange1<T>::sheet() {
  return {.name = "lagrange-1",
          .description = "Lagrange's equations of the first kind, in positions and velocities",
          .variables = "q, v",
          .is_physical = false,
          .hamiltonian = false,
          .keeps_g = false,
          .keeps_psi = true,
          .keeps_H = false,
          .residuals = "g' = psi, psi' = 0",
          .derivatives = "g'', H_pp",
          .moving = "as standard",
          .applies_to = "every system but black boxes",
          .reference = "seiler99b"};
}

template <class T>
Lagrange1<T>::Lagrange1(Manifold<T>& manifold, const FormulationOptions& /*options*/)
    : PhaseSpaceField<T>(sheet(), manifold), momenta_(manifold.system()), p_dot_(this->n(), T(0)) {}

template <class T>
Mask<T> Lagrange1<T>::field(const PointRef<T>& z, T* q_dot, T* v_dot, T* s_dot) {
  Mask<T> found(true);
  this->narrow(found, momenta_.at(z.q, z.p, z.t), FieldCause::variables);
  const PointRef<T> physical(z.q, momenta_.p().data(), z.s, z.t);
  found = this->begin(physical, found);
  std::copy_n(z.p, this->n(), q_dot);
  std::copy(this->F_.begin(), this->F_.end(), p_dot_.begin());
  this->eliminate(q_dot, p_dot_.data(), found);
  this->psi_.H_p_along(q_dot, p_dot_.data(), Time::moves, v_dot);
  this->rates(physical, s_dot);
  return found;
}

template <class T>
Mask<T> Lagrange1<T>::enter(const PhasePoint<T>& physical, OwnVariables<T>& own) {
  this->psi_.at(physical);
  own.q = physical.q;
  own.q_low = physical.q_low;
  own.p = this->psi_.v();
  own.p_low.assign(own.p.size(), T(0));
  return Mask<T>(true);
}

template <class T>
Mask<T> Lagrange1<T>::leave(const OwnVariables<T>& own, PhasePoint<T>& physical) {
  physical.q = own.q;
  physical.q_low = own.q_low;
  Mask<T> found(true);
  this->narrow(found, momenta_.at(own.q.data(), own.p.data(), T(physical.t)), FieldCause::variables);
  physical.p = momenta_.p();
  std::fill(physical.p_low.begin(), physical.p_low.end(), T(0));
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, Lagrange1);

}  // namespace cotangent
