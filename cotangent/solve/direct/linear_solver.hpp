#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/chain_ldl.hpp"
#include "cotangent/solve/direct/dense_ldl.hpp"
#include "cotangent/solve/direct/pivot.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"

namespace cotangent {

/// How a LinearSolver eliminates; follows from the pattern alone, never from T or from values.
enum class LinearSolverKind {
  scalar,  ///< one row: a division
  chain,   ///< disjoint paths: twisted tridiagonal factorisation
  dense,   ///< small or nearly full
  sparse,  ///< everything else: up-looking with a fill-reducing order
};

const char* name(LinearSolverKind kind);

/// Solves A x = b for an m x m matrix with symmetric pattern and symmetric or nearly symmetric values:
///
///   A = G W G'         positive definite where the constraints are regular   ->  A = L D L'
///   A = G(Q) W G(q)'   its neighbour, the Newton matrix of a RATTLE step     ->  A = L D U
///
/// L and U' are unit lower triangular with the same pattern. There is no pivoting beyond an order of
/// elimination chosen once from the pattern, so every factorisation does the same operations in the same
/// order: a lane of LinearSolver<Lanes> gives bit for bit the result of LinearSolver<double>.
///
/// The pattern is analysed in the constructor; factor() and solve() never allocate. A solver owns workspace:
/// use one per thread.
template <class T>
class LinearSolver {
 public:
  /// @param off_diagonal positions (i, j) with i > j, each at most once, in any order.
  /// @throws std::invalid_argument if a position is out of range, above the diagonal or repeated.
  LinearSolver(int size, std::vector<std::pair<int, int>> off_diagonal);

  int size() const { return size_; }
  LinearSolverKind kind() const { return kind_; }

  /// A = L D L' with diagonal[i] = A(i,i) and lower[e] = A(i_e,j_e) = A(j_e,i_e).
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower) {
    if (kind_ == LinearSolverKind::scalar) return factor_scalar(diagonal[0]);
    return factor_general(diagonal, lower, nullptr);
  }

  /// A = L D U with lower[e] = A(i_e,j_e) and upper[e] = A(j_e,i_e).
  [[nodiscard]] FactorReport<T> factor(const T* diagonal, const T* lower, const T* upper) {
    if (kind_ == LinearSolverKind::scalar) return factor_scalar(diagonal[0]);
    return factor_general(diagonal, lower, upper);
  }

  /// x <- A^{-1} x with the last factorisation.
  void solve(T* x) const {
    if (kind_ == LinearSolverKind::scalar) {
      x[0] = x[0] * inverse_;
    } else {
      solve_general(x);
    }
  }

  /// 1 / A, which solve() multiplies by, where A is a number; else a null pointer.
  const T* inverse() const { return kind_ == LinearSolverKind::scalar ? &inverse_ : nullptr; }

  /// The lanes in which every pivot is positive and more than rounding has left of it. The one of row i is a difference
  /// of numbers as large as A(i,i), and carries their rounding errors as often as pivots before it have cancelled:
  /// with growth_i = A(i,i) / d_i,
  ///
  ///   growth_i max_{j < i} growth_j < 1 / (kNearUnits epsilon).
  ///
  /// @param diagonal the one last given to factor().
  Mask<T> pivots_are_known(const T* diagonal) const;

  /// Names the constraint behind an irregular factorisation. A search apart from factor(), which keeps only the
  /// running maximum.
  /// @param diagonal the one last given to factor().
  WorstPivot<T> worst_pivot(const T* diagonal, int lane_index = 0) const;

 private:
  FactorReport<T> factor_scalar(const T& a) {
    inverse_ = T(1) / a;
    // The only pivot is A(0,0) itself.
    const Mask<T> regular = (inverse_ > T(0)) & (inverse_ < T(infinity<T>()));
    return {regular, select(regular, T(1), T(infinity<T>()))};
  }
  FactorReport<T> factor_general(const T* diagonal, const T* lower, const T* upper);
  void solve_general(T* x) const;
  template <class Visit>
  void each_pivot(const T* diagonal, const Visit& visit) const;  // visit(row, growth), in the order of elimination

  LinearSolverKind kind_;
  int size_;
  T inverse_{};  // of the scalar kind
  std::variant<std::monostate, ChainLdl<T>, DenseLdl<T>, SparseLdl<T>> factors_;
};

COTANGENT_DECLARE(NUMBERS, LinearSolver);

}  // namespace cotangent
