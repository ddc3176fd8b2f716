#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/pivot.hpp"
#include "cotangent/solve/direct/sparse_ldl.hpp"

namespace cotangent {

struct MatrixEntry {
  int row, column;
};

/// Solves A x = b for a sparse N x N matrix of any values, eliminated in an order that the caller gives:
///
///   A = L D U,   L and U' unit lower triangular in that order, with the pattern of L for A + A'.
///
/// There is no numerical pivoting, so every factorisation does the same operations in the same order and a lane of
/// SparseLu<Lanes> gives bit for bit the result of SparseLu<double>. In return the order must make every pivot nonzero
/// for the matrices at hand: any order does for symmetric quasidefinite ones [vanderbei95], saddle_order() for
/// constrained systems. The report says how much was cancelled in the pivots. It does not see a pivot that is small
/// from the beginning, as in [[1e-20, 1], [1, 0]]: where scales are that far apart, look at the residual of the solve.
///
/// The pattern is analysed in the constructor; factor() and solve() never allocate. Owns workspace: use one per thread.
template <class T>
class SparseLu {
 public:
  /// @param entries positions in any order; values at the same position are added up.
  /// @param order a permutation of 0 .. size-1: order[k] is the row and column eliminated k-th.
  /// @throws std::invalid_argument if a position is out of range or `order` is no permutation.
  SparseLu(int size, std::span<const MatrixEntry> entries, const std::vector<int>& order);

  int size() const { return size_; }
  /// Entries of L below its diagonal, which is also the number of entries of U above its diagonal.
  std::int64_t entries_of_L() const { return factors_->entries(); }

  /// @param values values[e] is (a summand of) A at entries[e].
  [[nodiscard]] FactorReport<T> factor(const T* values);

  /// x <- A^{-1} x, and x <- (A')^{-1} x, with the last factorisation.
  void solve(T* x) const { factors_->solve(x); }
  void solve_transposed(T* x) const { factors_->solve_transposed(x); }

  /// Names the row behind an irregular factorisation.
  WorstPivot<T> worst_pivot(int lane_index = 0) const;

 private:
  int size_;
  std::vector<int> slot_;     // of each of the caller's entries in values_
  std::vector<T> values_;     // the diagonal, the entries below it, and their mirror images
  std::vector<T> magnitude_;  // c_i
  std::optional<SparseLdl<T>> factors_;
};

COTANGENT_DECLARE(NUMBERS, SparseLu);

}  // namespace cotangent
