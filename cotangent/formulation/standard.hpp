#pragma once

#include <vector>

#include "cotangent/formulation/formulation.hpp"

namespace cotangent {

/// The standard underlying ODE: the multipliers are eliminated by differentiating the constraints twice.
///
///   q' = H_p
///   p' = -H_q - G' lambda,   R lambda = g_qq[v, v] + G (H_pq v - H_pp H_q),   v = H_p,  R = G H_pp G'
///
/// Off the manifold g'' = 0 along its solutions, so g grows linearly and psi = G H_p stays what it is; it is not
/// Hamiltonian there.
///
/// Reference: [leimkuhler-reich94, eq. 1.6]; [seiler99, eq. 15-16].
template <class T>
class Standard final : public Formulation<T> {
 public:
  static FormulationFacts sheet();

  /// @param manifold must outlive the formulation.
  explicit Standard(Manifold<T>& manifold);

  [[nodiscard]] Mask<T> field(const T* q, const T* p, T* q_dot, T* p_dot) override;
  const std::vector<T>& multipliers() const override { return lambda_; }
  std::int64_t singular_row() const override { return manifold_.matrix().worst_row(0); }

 private:
  Manifold<T>& manifold_;
  Request<T> H_q_, H_p_, G_transposed_times_;
  Frame<T> frame_;
  std::vector<T> lambda_, f_, c_;
};

}  // namespace cotangent
