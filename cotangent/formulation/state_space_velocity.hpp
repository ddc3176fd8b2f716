#pragma once

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/charted_field.hpp"
#include "cotangent/system/momentum_map.hpp"

namespace cotangent {

FormulationFacts state_space_velocity_facts();

/// The older state space form, in local coordinates and their velocities: delta = A q, theta = delta' (chart.hpp has
/// A).
///
///   q = phi(delta, t),   v:  A v = theta,  G v + g_t = 0,   p = the momenta of v
///   delta' = theta
///   theta' = A v',   v' = H_pq v + H_pp p' + H_pt,   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)]
///
/// (For M = I that is theta' = -(phi'^t phi')^-1 phi'^t (H_q + phi''[theta, theta]).) The same motion as in the
/// canonical form, but not in canonical variables: a symplectic method is not symplectic on it.
///
/// Reference: [leimkuhler-reich94, section 1].
template <class T>
class StateSpaceVelocity final : public ChartedField<T> {
 public:
  StateSpaceVelocity(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* delta_dot, T* theta_dot, T* s_dot) override;
  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override;

 private:
  /// q_, v_ and the momenta.
  [[nodiscard]] bool find_point(const T* delta, const T* theta, const T& t, const T* guess);

  MomentumMap<T> momenta_;
  std::vector<T> v_, p_dot_, v_dot_, g_t_;
};

COTANGENT_DECLARE(TRAJECTORIES, StateSpaceVelocity);

}  // namespace cotangent
