#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/ordering.hpp"

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

  /// Both return max_i |A(i,i)| / d_i, see FactorReport.
  T factor(const T* diagonal, const T* lower);
  T factor(const T* diagonal, const T* lower, const T* upper);

  void solve(T* x) const;

  /// The k-th pivot in the order of elimination: its row and 1 / d.
  int pivot_row(int k) const { return order_[k]; }
  const T& inverse_pivot(int k) const { return inverse_[order_[k]]; }

 private:
  template <bool kSymmetric>
  T eliminate(const T* diagonal, const T* lower, const T* upper);

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
