#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/linear_solver.hpp"
#include "cotangent/solve/direct/refinement.hpp"
#include "cotangent/solve/direct/sparse_lu.hpp"

namespace cotangent {

/// Solves A x = b for any regular sparse N x N matrix without numerical pivoting, by the matrix of least squares
/// [bjorck67],
///
///   | I   A | | r |   | b |
///   | A'  0 | | x | = | 0 |      <=>      r = b - A x,  A'r = 0,
///
/// so that r = 0 if A is regular. It is a saddle matrix with M = I and G = A', which has no zero pivot in the order of
/// saddle_order however many zeros A has on its diagonal: SparseLu does for an indefinite A what would otherwise take a
/// choice of pivots, and every lane does the same operations.
///
/// In return its pivots are squares: that of column j is -(distance of column j from those before)^2, and a condition
/// of A beyond epsilon^(-1/2) counts as singular. Rows and columns are scaled, D A E, to have 1 as their largest entry,
/// and solutions refined until b - A x is at its rounding level.
///
/// factor() and solve() never allocate. Owns workspace: use one per thread.
template <class T>
class AugmentedSolver {
 public:
  /// As for SparseLu.
  AugmentedSolver(int size, std::vector<MatrixEntry> entries);

  /// growth: max_j |column j| / its distance from those before, which is what an elimination of A itself would report.
  [[nodiscard]] FactorReport<T> factor(const T* values);

  /// x <- x with A x = b, where x is b at first.
  [[nodiscard]] Refinement<T> solve(T* x) const;

  /// The row or column of A behind an irregular factorisation.
  int worst_row(int lane_index = 0) const { return lu_.worst_pivot(lane_index).row % size_; }

 private:
  void scale_matrix();
  void solve_scaled(T* x) const;  // x <- E (D A E)^-1 D x

  int size_;
  std::vector<MatrixEntry> entries_;
  SparseLu<T> lu_;
  std::vector<T> values_, scaled_;  // of A; of the augmented matrix: I, D A E, its transpose
  std::vector<T> D_, E_;
  mutable std::vector<T> b_, r_, magnitude_, right_;
};

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

COTANGENT_DECLARE(NUMBERS, AugmentedSolver);
COTANGENT_DECLARE(NUMBERS, SymmetricSolver);

}  // namespace cotangent
