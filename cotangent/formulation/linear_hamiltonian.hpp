#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

/// For constraints that are affine in q, g = G q - c(t) with constant G, and H = T(p) + V(q, t) with constant H_pp: the
/// Hamiltonian system of H(Q(q), p), where
///
///   Q = q - H_pp G' R^-1 g(q, t),   R = G H_pp G'
///
/// is the projection onto g = 0 in the metric of the masses. (For M = I and c = 0 it is Pi q, Pi = I - G'(G G')^-1 G.)
///
///   q' = v = H_p
///   p' = Pi'F(Q) - G' R^-1 g_tt,    Pi'F = F - G' R^-1 G H_pp F,    F = -H_q + forces
///
/// Off the manifold psi = G v + g_t is conserved and g' = psi.
///
/// Reference: [leimkuhler-reich94, section 3].
template <class T>
class LinearHamiltonian final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  /// @throws std::invalid_argument if constraints are not affine or H is not of that form.
  LinearHamiltonian(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  std::vector<T> Q_, pulled_back_, moved_;
};

}  // namespace cotangent
