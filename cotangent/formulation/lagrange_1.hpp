#pragma once

#include "cotangent/formulation/phase_space_field.hpp"
#include "cotangent/system/momentum_map.hpp"

namespace cotangent {

/// Lagrange's equations of the first kind, the descriptor form in positions and velocities: the multipliers are what
/// the constraints on the accelerations ask for.
///
///   q' = v
///   v' = d/dt H_p = H_pq v + H_pp p' + H_pt,   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)]
///
/// with F = -H_q + forces at the momenta p of v; of a Lagrangian, M v' = L_q - (L_vq v + L_vt) + f - G' lambda. They
/// are the equations of `standard` in other variables, and behave alike off the manifold: g'' = 0. Adding the time
/// derivatives of the constraints to the Lagrangian instead of the constraints leads to the same equations.
///
/// Reference: [seiler99b]; the equations are those of Ruhoff, Praestegaard and Perram's constrained Lagrangian.
template <class T>
class Lagrange1 final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Lagrange1(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* v_dot, T* s_dot) override;

  [[nodiscard]] Mask<T> enter(const PhasePoint<T>& physical, OwnVariables<T>& own) override;
  [[nodiscard]] Mask<T> leave(const OwnVariables<T>& own, PhasePoint<T>& physical) override;

 private:
  MomentumMap<T> momenta_;
  std::vector<T> p_dot_;
};

}  // namespace cotangent
