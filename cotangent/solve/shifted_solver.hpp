#pragma once

#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/linear_solver.hpp"
#include "cotangent/solve/null_space.hpp"
#include "cotangent/solve/refinement.hpp"

namespace cotangent {

/// Solves R x = b where R is positive semidefinite and may be singular or nearly so: redundant constraints make
/// R = G W G' singular, and b is then in the range of R up to rounding.
///
/// The matrix that is factored is shifted, and its inverse used for iterative refinement [riley55]:
///
///   K = (R + delta I)^-1,   delta = epsilon^(2/3) max_i R(i,i)
///   x = R K K b,   and then in each sweep   x <- x + K R K (b - R x).
///
/// Along an eigenvector of R with eigenvalue s the error is multiplied by 1 - (s / (s + delta))^2, about 2 delta / s,
/// at the beginning and in each sweep: in double one to three sweeps do for s > 1e-6 max R, and eight still for s >
/// 5e-9 max R. Along the kernel of R nothing is added: a singular consistent system gets its solution of smallest norm.
///
/// The plain x <- x + K (b - R x) has the same limit in theory. But b and R x are known to epsilon only, and K
/// multiplies what of that lies in the kernel by 1 / delta: x would be off by epsilon^(1/3). With R as the last factor
/// x is in the range of R up to the rounding of that product, which is epsilon^(2/3), since the kernel part of K K b is
/// epsilon^(-1/3). In the sweeps R takes the kernel part of K r away just as well, leaving errors of epsilon^(4/3) that
/// the second K makes epsilon^(2/3), and only in the kernel: the residual goes down to epsilon. What remains in x is
/// about 1e-10 of it in double.
///
/// For R = G(Q) W G(q)', nearly symmetric, x is in the range of R as well, which is then nearly that of R'.
///
/// Where it is known how many of its eigenvalues would be zero but for errors of the matrix, that many directions are
/// left out of everything: x = P K P b and x <- x + P K P (b - R x) with P the projection from NullSpace.
///
/// factor() and solve() never allocate and do the same operations in every lane. Owns workspace: use one per thread.
template <class T>
class ShiftedSolver {
 public:
  static constexpr int kMaxSweeps = 8;

  /// As for LinearSolver.
  ShiftedSolver(int size, OffDiagonal off_diagonal);

  int size() const { return static_cast<int>(diagonal_.size()); }

  /// So many eigenvalues of R are zero, up to errors of R.
  void set_nullity(std::size_t nullity) { null_space_ = NullSpace<T>(diagonal_.size(), nullity); }

  /// Factors R + delta I, with the arguments of LinearSolver::factor(), which need not be kept. Regular unless R has
  /// negative eigenvalues or is not finite.
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower);
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower, const T* upper);

  /// x <- x with R x = b, where x is b at first.
  /// @param level the error with which b is known: a residual no larger than this counts as converged. It matters where
  ///   b is a small difference of large terms, for its rounding errors need not be in the range of R.
  /// @return converged where the residual is at its rounding level or below. Elsewhere b is not in the range of R, or R
  ///   has eigenvalues about as large as the shift; x is then what the last sweep made of it.
  [[nodiscard]] Refinement<T> solve(T* x, const T& level = T(0)) const;

 private:
  FactorReport<T> find_null_space(const FactorReport<T>& report);
  void keep(const T* diagonal, const T* lower, const T* upper);
  void multiply(const T* x, T* y) const;  // y <- R x
  RefinementResidual<T> residual(const T* b, const T* x, T* r) const;

  OffDiagonal off_diagonal_;
  LinearSolver<T> solver_;
  std::vector<T> diagonal_, lower_, upper_;  // R
  std::vector<T> shifted_;                   // the diagonal of R + delta I
  NullSpace<T> null_space_;
  mutable std::vector<T> b_, r_, y_;
};

COTANGENT_DECLARE(NUMBERS, ShiftedSolver);

}  // namespace cotangent
