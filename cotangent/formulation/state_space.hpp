#pragma once

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/charted_field.hpp"
#include "cotangent/formulation/striction.hpp"

namespace cotangent {

FormulationFacts state_space_facts();

/// The canonical state space form: Hamilton's equations on the constraint manifold itself, in a chart delta = A q with
/// the momenta theta = phi'^t p (chart.hpp has phi).
///
///   q = phi(delta, t):   A q = delta,  g(q, t) = 0                              Newton
///   p = A' theta - G' l, with l such that G H_p(q, p) + g_t = 0                 striction.hpp
///   delta' = A v,                                v = H_p(q, p)
///   theta' = phi'^t (F + (l.g)''[(v, 1)]),       F = -H_q + forces
///
/// (d/dt of p = A' theta - G' l, multiplied with phi'^t, for which phi'^t A' = I and phi'^t G' = 0.) q and p are on the
/// manifold whatever the method does. It is the Hamiltonian system of H(q, p) + l'g_t in (delta, theta); in a fixed
/// chart a symplectic method is symplectic on the manifold.
///
/// Reference: [leimkuhler-reich94, section 2].
template <class T>
class StateSpace final : public ChartedField<T> {
 public:
  StateSpace(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* delta_dot, T* theta_dot, T* s_dot) override;
  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override;

 private:
  /// q_ and the momentum of striction_.
  [[nodiscard]] bool find_point(const T* delta, const T* theta, const T& t, const T* guess);

  Striction<T> striction_;
  std::vector<T> x_;
};

COTANGENT_DECLARE(TRAJECTORIES, StateSpace);

}  // namespace cotangent
