#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/impulse_response.hpp"
#include "cotangent/solve/direct/refinement.hpp"
#include "cotangent/solve/direct/sparse_lu.hpp"
#include "cotangent/solve/direct/symmetric_solver.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {

/// R = G M^-1 G', M = L_vv, of a Lagrangian system, by the saddle matrix
///
///   | M      G(q)' | | y |   |  0 |
///   | G(Q)  -delta | | x | = | -b |    <=>    (G(Q) M^-1 G(q)' + delta) x = b,
///
/// which is sparse where M^-1 and R are not. Its elimination order is analysed once (saddle_order). delta is 0 unless
/// constraints are dependent; then a small one keeps the matrix regular, and refinement gives the SmallestSolution.
///
/// The order has no zero pivot as long as M is positive definite. Where M is regular but indefinite AugmentedSolver
/// solves with the same matrix.
template <class T>
class SaddleMatrix {
 public:
  /// @param system of a Lagrangian; must outlive this.
  explicit SaddleMatrix(System<T>& system);

  [[nodiscard]] FactorReport<T> factor(const T* Q, const T& t_Q, const PointRef<T>& z);

  /// x <- R^-1 x.
  /// @return the lanes where R x = b to rounding. Elsewhere R is dependent and b not in its range, or M is too close to
  ///   a singular matrix; x is then what refinement could make of it.
  Mask<T> solve(T* x);

  /// As SemidefiniteSolver::set_nullity().
  void set_nullity(std::size_t nullity) { smallest_.set_nullity(nullity); }

  /// Whether some lane of the last factorisation is singular or nearly so.
  bool is_degenerate() const { return any(degenerate_); }

  /// Entries of the factors below the diagonal.
  std::int64_t entries_of_L() const { return lu_->entries_of_L(); }

  /// The constraint with the smallest pivot.
  std::int64_t worst_row(int lane_index) const;

  /// About R(r, r), and positive: sum_j G(r, j)^2 / sum_k |M(j, k)|.
  const std::vector<T>& diagonal() const { return diagonal_; }

 private:
  void factor_indefinite(FactorReport<T>& report);
  void shift(FactorReport<T>& report);
  void estimate_diagonal();
  Mask<T> solve_shifted(T* x);       // x <- K x; whether it is known to rounding
  void multiply(const T* x, T* y) {  // y = R x
    response_.rate(Q_.data(), t_Q_, {q_.data(), p_.data(), nullptr, t_}, x, y);
  }

  Legendre<T>& legendre_;
  Jacobian<T> G_;
  ImpulseResponse<T> response_;
  std::size_t n_, m_, masses_, gradients_;  // numbers of entries: M, G', G, -delta
  std::vector<MatrixEntry> entries_;
  std::unique_ptr<SparseLu<T>> lu_;
  std::unique_ptr<AugmentedSolver<T>> augmented_;
  Mask<T> degenerate_ = Mask<T>(false), indefinite_ = Mask<T>(false);
  SmallestSolution<T> smallest_;
  std::vector<T> values_, inverse_mass_sums_, diagonal_;
  std::vector<T> right_, augmented_right_, x_, u_;
  std::vector<T> Q_, q_, p_;
  T t_{}, t_Q_{};
};

COTANGENT_DECLARE(NUMBERS, SaddleMatrix);

}  // namespace cotangent
