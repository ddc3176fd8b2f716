#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/linear_solver.hpp"
#include "cotangent/solve/shifted_solver.hpp"
#include "cotangent/solve/sparse_lu.hpp"

namespace cotangent {

/// Solves A x = b for A = G W G' or its neighbour A = G(Q) W G(q)', whatever the rank of G.
///
/// As long as the pivots are larger than rank_tolerance this is LinearSolver. Otherwise, in the lanes concerned,
///
///   a symmetric A is singular or nearly so: ShiftedSolver gives the solution of smallest norm;
///   an unsymmetric A may also have changed sign: a path through a configuration in which constraints are dependent has
///   G of one side at q and of the other at Q. Then elimination with pivots of either sign is tried first.
///
/// factor() and solve() do not allocate, but for the first time that they meet such a matrix.
template <class T>
class SemidefiniteSolver {
 public:
  /// As for LinearSolver.
  SemidefiniteSolver(int size, OffDiagonal off_diagonal);

  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower) {
    FactorReport<T> report = solver_.factor(diagonal, lower);
    degenerate_ = (!(report.growth < T(kLimit))) | Mask<T>(nullity_ > 0);
    if (any(degenerate_)) fall_back(diagonal, lower, nullptr, report);
    is_degenerate_ = any(degenerate_);
    return report;
  }
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower, const T* upper) {
    FactorReport<T> report = solver_.factor(diagonal, lower, upper);
    degenerate_ = (!(report.growth < T(kLimit))) | Mask<T>(nullity_ > 0);
    if (any(degenerate_)) fall_back(diagonal, lower, upper, report);
    is_degenerate_ = any(degenerate_);
    return report;
  }

  /// From now on so many eigenvalues of A count as zero, whatever the pivots: see NullSpace.
  void set_nullity(std::size_t nullity);

  /// x <- A^-1 x. @return the lanes where A x = b to rounding; elsewhere A is singular and b not in its range.
  Mask<T> solve(T* x) const {
    if (is_degenerate_) return solve_degenerate(x);
    solver_.solve(x);
    return Mask<T>(true);
  }

  /// Whether some lane of the last factorisation is singular or nearly so.
  bool is_degenerate() const { return is_degenerate_; }

  WorstPivot<T> worst_pivot(const T* diagonal, int lane_index) const {
    return solver_.worst_pivot(diagonal, lane_index);
  }

 private:
  static inline const LaneOf<T> kLimit = 1 / rank_tolerance<T>();

  void fall_back(const T* diagonal, const T* lower, const T* upper, FactorReport<T>& report);
  Mask<T> solve_degenerate(T* x) const;

  OffDiagonal off_diagonal_;
  LinearSolver<T> solver_;
  std::size_t nullity_ = 0;
  bool is_degenerate_ = false;
  Mask<T> degenerate_ = Mask<T>(false), signed_pivots_ = Mask<T>(false);
  std::unique_ptr<ShiftedSolver<T>> shifted_;
  std::unique_ptr<SparseLu<T>> signed_;
  std::vector<T> values_;
  mutable std::vector<T> y_, z_;
};

COTANGENT_DECLARE(NUMBERS, SemidefiniteSolver);

}  // namespace cotangent
