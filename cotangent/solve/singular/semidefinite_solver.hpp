#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/linear_solver.hpp"
#include "cotangent/solve/direct/refinement.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"
#include "cotangent/solve/direct/symmetric_solver.hpp"

namespace cotangent {

/// SmallestSolution of R x = b for a sparse R = G W G', positive semidefinite. For R = G(Q) W G(q)', nearly symmetric,
/// x is in the range of R as well, which is then nearly that of R'.
///
/// factor() and solve() never allocate and do the same operations in every lane. Owns workspace: use one per thread.
template <class T>
class ShiftedSolver {
 public:
  /// As for LinearSolver.
  ShiftedSolver(int size, OffDiagonal off_diagonal);

  /// So many eigenvalues of R are zero, up to errors of R.
  void set_nullity(std::size_t nullity) { smallest_.set_nullity(nullity); }

  /// Factors R + delta I, with the arguments of LinearSolver::factor(), which need not be kept; R is symmetric without
  /// `upper`. Regular unless R has negative eigenvalues or is not finite.
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower, const T* upper = nullptr);

  /// x <- x with R x = b, where x is b at first.
  [[nodiscard]] Refinement<T> solve(T* x) const;

 private:
  OffDiagonal off_diagonal_;
  LinearSolver<T> solver_;
  std::vector<T> diagonal_, lower_, upper_;  // R
  std::vector<T> shifted_;                   // the diagonal of R + delta I
  mutable SmallestSolution<T> smallest_;
};

/// Solves A x = b for A = G W G' or its neighbour A = G(Q) W G(q)', whatever the rank of G.
///
/// As long as the pivots are larger than rank_tolerance, or smaller but known (LinearSolver::pivots_are_known), this is
/// LinearSolver. Otherwise, in the lanes concerned,
///
///   a symmetric A is singular or nearly so: ShiftedSolver gives the solution of smallest norm;
///   an unsymmetric A may also have changed sign: a path through a configuration in which constraints are dependent has
///   G of one side at q and of the other at Q. Then elimination with pivots of either sign is tried first;
///   where all that fails A is not even semidefinite, because W is not: AugmentedSolver takes over if A is regular.
///
/// factor() and solve() do not allocate, but for the first time that they meet such a matrix.
template <class T>
class SemidefiniteSolver {
 public:
  /// As for LinearSolver.
  SemidefiniteSolver(int size, OffDiagonal off_diagonal);

  /// A is symmetric without `upper`.
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower, const T* upper = nullptr) {
    FactorReport<T> report = upper ? solver_.factor(diagonal, lower, upper) : solver_.factor(diagonal, lower);
    degenerate_ = (!(report.growth < T(kLimit))) | Mask<T>(nullity_ > 0);
    is_degenerate_ = any(degenerate_);
    if (is_degenerate_) fall_back(diagonal, lower, upper, report);
    return report;
  }

  /// From now on so many eigenvalues of A count as zero, whatever the pivots: see SmallestSolution.
  void set_nullity(std::size_t nullity);

  /// x <- A^-1 x. @return the lanes where A x = b to rounding; elsewhere A is singular and b not in its range.
  Mask<T> solve(T* x) const {
    if (is_degenerate_) return solve_degenerate(x);
    solver_.solve(x);
    return Mask<T>(true);
  }

  /// See LinearSolver; a null pointer, too, where some lane is singular.
  const T* inverse() const { return is_degenerate_ ? nullptr : solver_.inverse(); }

  /// Whether some lane of the last factorisation is singular or nearly so.
  bool is_degenerate() const { return is_degenerate_; }

  WorstPivot<T> worst_pivot(const T* diagonal, int lane_index) const {
    return solver_.worst_pivot(diagonal, lane_index);
  }

 private:
  static inline const LaneOf<T> kLimit = 1 / rank_tolerance<T>();

  void fall_back(const T* diagonal, const T* lower, const T* upper, FactorReport<T>& report);
  void factor_indefinite(const T* diagonal, const T* lower, const T* upper, const Mask<T>& lanes,
                         FactorReport<T>& report);
  Mask<T> solve_degenerate(T* x) const;

  OffDiagonal off_diagonal_;
  LinearSolver<T> solver_;
  std::size_t nullity_ = 0;
  bool is_degenerate_ = false;
  Mask<T> degenerate_ = Mask<T>(false), signed_pivots_ = Mask<T>(false), indefinite_ = Mask<T>(false);
  std::unique_ptr<ShiftedSolver<T>> shifted_;
  std::unique_ptr<SparseLdl<T>> signed_;
  std::unique_ptr<AugmentedSolver<T>> augmented_;
  std::vector<T> values_;  // of A, for it
  mutable std::vector<T> y_, z_;
};

COTANGENT_DECLARE(NUMBERS, ShiftedSolver);
COTANGENT_DECLARE(NUMBERS, SemidefiniteSolver);

}  // namespace cotangent
