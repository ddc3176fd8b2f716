#pragma once

#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

/// The stabilised index-2 form of Gear, Gupta and Leimkuhler: a second multiplier lets both constraints be imposed,
///
///   q' = v - H_pp G' mu,   p' = F - G' lambda,   g = 0,   psi = G v + g_t = 0.
///
/// As a vector field the multipliers are what keeps both constraints where they are: differentiating g and psi once,
///
///   R mu = psi,   R lambda = psi'[(q', F, 1)],
///
/// so that g' = 0 and psi' = 0, off the manifold too. mu vanishes on it. The metric of the correction is that of the
/// masses, as in every projection here.
///
/// Reference: [gear-gupta-leimkuhler85].
template <class T>
class Ggl final : public PhaseSpaceField<T> {
 public:
  static FormulationFacts sheet();

  Ggl(Manifold<T>& manifold, const FormulationOptions& options = {});

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;

 private:
  std::vector<T> mu_, G_mu_, correction_;
};

}  // namespace cotangent
