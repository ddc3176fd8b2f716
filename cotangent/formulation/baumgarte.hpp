#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

/// Baumgarte's stabilisation: constraints are made to decay like damped oscillators.
///
///   q' = v = H_p
///   p' = F - G' lambda,   R lambda = psi'[(v, F, 1)] + 2 alpha psi + beta^2 g,
///
/// so that g'' + 2 alpha g' + beta^2 g = 0 along every solution. alpha = beta is critically damped. The equations
/// become stiff where these are large, and neither energy nor the symplectic form survive off the manifold.
///
/// Reference: [baumgarte72]; [leimkuhler-reich94, section 4].
template <class T>
class Baumgarte final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Baumgarte(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  T damping_, stiffness_;  // 2 alpha, beta^2
  std::vector<T> g_value_, psi_value_;
};

}  // namespace cotangent
