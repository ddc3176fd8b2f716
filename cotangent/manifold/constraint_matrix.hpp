#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/dense_coupling.hpp"
#include "cotangent/manifold/impulse_response.hpp"
#include "cotangent/manifold/saddle_matrix.hpp"
#include "cotangent/solve/singular/dependent_rows.hpp"
#include "cotangent/solve/singular/semidefinite_solver.hpp"
#include "cotangent/system/matrix/coupling.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// The matrix of every solve for multipliers, R = G H_pp G', factored.
///
///   factor(z)               G(q, t) H_pp(z) G(q, t)'      symmetric, positive definite where H_pp is and rows of G are
///                                                         independent
///   factor_newton(Q, t', z) G(Q, t') H_pp(z) G(q, t)'     the derivative of g(q + H_pp G(q, t)' l, t') at Q
///
/// Where H_pp is constant and diagonal the entries come from kernels of their own (CouplingPlan), or, where constraints
/// share nearly all coordinates, from a dense product (DenseCoupling). Otherwise R is probed: its columns are R e = G
/// (H_pp (G' e)), where columns that share no row are found with one vector (Curtis, Powell and Reid [curtis74]): a few
/// products for a sparse R, never a tensor or a dense H_pp. For a Lagrangian system, where R may be full, it is the
/// sparse saddle matrix that is factored (saddle_matrix.hpp).
///
/// Dependent constraints make R singular; solve() then gives the solution of smallest norm (semidefinite_solver.hpp).
/// But constraints that depend on others on the manifold only, as those of closed loops do, are independent off it, by
/// pivots as small as the squares of residuals: how many there are is to be said by set_nullity().
template <class T>
class ConstraintMatrix {
 public:
  /// @throws std::invalid_argument if R is full and has more rows than kLimits.full.
  explicit ConstraintMatrix(System<T>& system);

  [[nodiscard]] FactorReport<T> factor(const PointRef<T>& z);
  [[nodiscard]] FactorReport<T> factor_newton(const T* Q, const T& t_Q, const PointRef<T>& z);

  /// For callers that let kernels of their own write the entries (see CouplingPlan): the plan, if there is one, where
  /// its outputs go, and the factorisation of what was written.
  const CouplingPlan* plan() const { return plan_; }
  T* output(CouplingPlan::Output which) { return frame_.out[which]; }
  [[nodiscard]] FactorReport<T> factor_written() { return remember(solver_->factor(diagonal_.data(), lower_.data())); }
  [[nodiscard]] FactorReport<T> factor_newton_written() {
    return solver_->factor(diagonal_.data(), lower_.data(), upper_.data());
  }

  /// x <- R^{-1} x with the last factorisation.
  /// @return the lanes where R x = b to rounding. An iteration that measures what its corrections come to may go on
  ///   without it; whoever takes x as it is must not.
  Mask<T> solve(T* x) const { return saddle_ ? saddle_->solve(x) : solver_->solve(x); }

  /// Where the last R is a number and regular: 1 / R, which solve() multiplies by; else a null pointer.
  const T* inverse() const { return saddle_ ? nullptr : solver_->inverse(); }

  /// So many constraints follow from others wherever those hold: R is solved with as if so many of its eigenvalues
  /// were zero, off the manifold too (SmallestSolution).
  void set_nullity(std::size_t nullity) {
    nullity_ = nullity;
    if (saddle_) {
      saddle_->set_nullity(nullity);
    } else {
      solver_->set_nullity(nullity);
    }
  }
  std::size_t nullity() const { return nullity_; }
  /// For a checkpoint.
  void state(Archive& archive) {
    std::size_t nullity = nullity_;
    archive("nullity", nullity);
    set_nullity(nullity);
  }

  /// Of the last R that was factored: how many digits elimination lost in its pivots, as a factor; infinite where
  /// constraints are dependent. About the condition number of R.
  const T& condition() const { return condition_; }

  /// The constraints that follow from others at z, to first order: rows of G, whatever H_pp is. They are told from G G'
  /// in quad precision. Its pivots are squares of distances between rows; so those of rows that depend on others, which
  /// are the squares of rounding errors, stay apart from those of rows that are nearly parallel.
  std::vector<DependentRow<T>> dependent(const PointRef<T>& z);

  /// R(r, r) |x|: the size of what multiplier x of row r adds to that row of R x.
  T diagonal_scale(std::size_t r, const T& x) const { return abs((saddle_ ? saddle_->diagonal() : diagonal_)[r] * x); }

  /// The largest of them for multipliers x.
  T diagonal_scale(const T* x) const {
    T largest(0);
    for (std::size_t r = 0; r < diagonal_.size(); ++r) largest = max(largest, diagonal_scale(r, x[r]));
    return largest;
  }

  /// The row whose pivot vanished in the last factorisation, for a message.
  std::int64_t worst_row(int lane_index) const {
    return saddle_ ? saddle_->worst_row(lane_index) : solver_->worst_pivot(diagonal_.data(), lane_index).row;
  }

 private:
  FactorReport<T> remember(const FactorReport<T>& report) {
    condition_ = report.growth;
    return report;
  }
  void plan_entries();
  void plan_probes();
  void plan_dense();
  const KernelSequence<T>& kernels(const char* key, const SpecSequence& specs) const;
  void run_probes(const T* Q, const T& t_Q, const PointRef<T>& z);

  System<T>& system_;
  std::unique_ptr<SemidefiniteSolver<T>> solver_;
  std::unique_ptr<SaddleMatrix<T>> saddle_;
  OffDiagonal off_diagonal_;
  std::size_t nullity_ = 0;
  T condition_ = T(1);
  std::vector<T> diagonal_, lower_, upper_;

  // By kernels.
  const CouplingPlan* plan_ = nullptr;
  const KernelSequence<T>*symmetric_ = nullptr, *newton_ = nullptr;  // found when first used
  Frame<T> frame_;

  std::unique_ptr<DenseCoupling<T>> dense_;

  // By probing.
  struct Probe {
    struct Entry {
      int row;  // R(row, c), c the only column of the probe that reaches this row
      T* target;
    };
    std::vector<int> columns;
    std::vector<Entry> entries;
  };
  std::vector<Probe> probes_;
  ImpulseResponse<T> response_;
  std::vector<T> unit_, rows_;
};

}  // namespace cotangent
