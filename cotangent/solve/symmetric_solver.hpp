#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/augmented_solver.hpp"
#include "cotangent/solve/linear_solver.hpp"

namespace cotangent {

/// Solves A x = b for a symmetric regular A, positive definite or not, such as M = L_vv.
///
/// A positive definite A is left to LinearSolver. Any other has a pivot that is not positive, or that has been
/// cancelled to less than rank_tolerance: in the lanes concerned AugmentedSolver takes over if it finds A regular.
///
/// factor() and solve() do not allocate, but for the first time that they meet such a matrix.
template <class T>
class SymmetricSolver {
 public:
  /// As for LinearSolver.
  SymmetricSolver(int size, OffDiagonal off_diagonal);

  /// @param diagonal and lower as for LinearSolver::factor().
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower);

  /// x <- A^-1 x with the last factorisation.
  /// @return the lanes where x is known to rounding: AugmentedSolver may find A too close to a singular matrix only
  /// now.
  [[nodiscard]] Mask<T> solve(T* x) const;

  /// The lanes whose A was regular, but not positive definite.
  const Mask<T>& indefinite() const { return indefinite_; }

  /// @param diagonal the one last given to factor().
  int worst_row(const T* diagonal, int lane_index = 0) const { return solver_.worst_pivot(diagonal, lane_index).row; }

 private:
  OffDiagonal off_diagonal_;
  LinearSolver<T> solver_;
  Mask<T> indefinite_ = Mask<T>(false);
  std::unique_ptr<AugmentedSolver<T>> augmented_;
  std::vector<T> values_;
  mutable std::vector<T> y_;
};

COTANGENT_DECLARE(NUMBERS, SymmetricSolver);

}  // namespace cotangent
