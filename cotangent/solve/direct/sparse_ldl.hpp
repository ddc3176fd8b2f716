#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/direct/ordering.hpp"

namespace cotangent {

/// A = L D U without pivoting on a sparse symmetric pattern; U = L' if A is symmetric.
///
/// Up-looking [davis05]: row k of L solves a sparse triangular system with the rows already known. The
/// patterns of all rows are computed once, so the numerical phase only streams through index lists. Rows and
/// right-hand sides keep the caller's numbering; the elimination order decides only when a row is treated,
/// and nothing is permuted.
template <class T>
class SparseLdl {
 public:
  SparseLdl(const PatternGraph& graph, const SymbolicFactor& symbolic);

  /// For A nearly positive definite. Both return max_i |A(i,i)| / d_i, see FactorReport.
  T factor(const T* diagonal, const T* lower);
  T factor(const T* diagonal, const T* lower, const T* upper);

  /// For pivots of either sign; `upper` is `lower` itself where A is symmetric, which takes half the work and gives the
  /// same bits. Sets magnitude[i] = c_i and returns max_i c_i / |d_i|, see pivot.hpp.
  T factor_signed(const T* diagonal, const T* lower, const T* upper, T* magnitude);

  /// For A positive semidefinite: rows with d_i <= tolerance * c_i are left out, their inverse_pivot() is 0.
  void factor_dropping(const T* diagonal, const T* lower, const T& tolerance);

  /// x <- A^{-1} x, and x <- (A')^{-1} x.
  void solve(T* x) const;
  void solve_transposed(T* x) const;

  /// After factor_dropping(): the solution x of L'x = e_row. If the row was left out, then D L'x = 0 and so A x = 0;
  /// x(row) = 1, and x is 0 at other rows left out, whose columns of L are 0.
  void null_vector(int row, T* x) const;

  std::int64_t entries() const { return static_cast<std::int64_t>(row_.size()); }  ///< of L, below its diagonal

  /// The k-th pivot in the order of elimination: its row and 1 / d.
  int pivot_row(int k) const { return order_[k]; }
  const T& inverse_pivot(int k) const { return inverse_[order_[k]]; }

 private:
  template <bool kSymmetric, class Pivots>
  Pivots eliminate(const T* diagonal, const T* lower, const T* upper, Pivots pivots);

  void forward_substitute(const T* L, T* x) const;  // x <- L^{-1} x
  template <bool kScaled>
  void back_substitute(const T* U, T* x) const;  // x <- U^{-1} x, or U^{-1} D^{-1} x if scaled

  // An entry of A in the row of L being computed. Row and column may have changed sides with the order.
  struct Input {
    int column, entry;
    bool mirrored;
  };
  // An entry of L in the row being computed: its column, and its place in `row_` and the value arrays.
  struct Target {
    int column, slot;
  };

  bool symmetric_ = true;
  std::vector<int> order_;       // row eliminated k-th
  std::vector<int> begin_;       // first slot of the column of row i; columns are stored in elimination order
  std::vector<int> column_end_;  // one past the last slot of the k-th column
  std::vector<int> row_;         // row of the entry of L in each slot
  std::vector<int> input_end_;   // one past the last Input of the k-th row
  std::vector<Input> input_;
  std::vector<int> target_end_;  // one past the last Target of the k-th row
  std::vector<Target> target_;

  std::vector<T> inverse_;        // 1 / d_i
  std::vector<T> lower_, upper_;  // L(i,j) and U(j,i) in the slot of (i,j)
  std::vector<T> y_, z_;          // the row of L and the column of U being computed; zero in between
};

}  // namespace cotangent
