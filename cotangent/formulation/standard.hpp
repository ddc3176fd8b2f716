#pragma once

#include <vector>

#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

/// The standard underlying ODE: the multipliers are eliminated by differentiating the constraints twice.
///
///   q' = v = H_p
///   p' = F - G' lambda,   R lambda = g''[(v, 1), (v, 1)] + G (H_pq v + H_pp F + H_pt),   R = G H_pp G',
///
/// with F = -H_q + forces; g'' contains derivatives by the time where constraints move. Off the manifold g'' = 0 along
/// its solutions, so g grows linearly and psi = G v + g_t stays what it is; it is not Hamiltonian there.
///
/// Reference: [leimkuhler-reich94, eq. 1.6]; [seiler99, eq. 15-16].
template <class T>
class Standard final : public Formulation<T> {
 public:
  static FormulationFacts sheet();

  /// @param manifold must outlive the formulation.
  explicit Standard(Manifold<T>& manifold);

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;
  const std::vector<T>& multipliers() const override { return lambda_; }
  std::int64_t singular_row() const override { return is_singular_ ? manifold_.matrix().worst_row(0) : -1; }

 private:
  Manifold<T>& manifold_;
  Request<T> H_p_, G_transposed_times_;
  Frame<T> frame_;
  std::vector<T> lambda_, c_;
  bool is_singular_ = false;
};

}  // namespace cotangent
