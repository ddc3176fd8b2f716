#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/direct/ordering.hpp"

namespace cotangent {

/// A = L D U without pivoting, all entries stored; U = L' if A is symmetric. For small or nearly full A.
template <class T>
class DenseLdl {
 public:
  DenseLdl(int size, const OffDiagonal& off_diagonal);

  /// Both return max_i |A(i,i)| / d_i, see FactorReport.
  T factor(const T* diagonal, const T* lower);
  T factor(const T* diagonal, const T* lower, const T* upper);

  void solve(T* x) const;

  /// The k-th pivot in the order of elimination: its row and 1 / d.
  int pivot_row(int k) const { return k; }
  const T& inverse_pivot(int k) const { return inverse_[k]; }

 private:
  template <bool kSymmetric>
  T eliminate(const T* diagonal);
  void scatter(const T* values, std::vector<T>& matrix) const;

  int size_;
  bool symmetric_ = true;
  std::vector<int> position_;  // of each off-diagonal entry in lower_, and of its mirror image in upper_
  std::vector<T> lower_;       // L(i,k) at k * size_ + i
  std::vector<T> upper_;       // U(k,i) at k * size_ + i
  std::vector<T> pivot_, inverse_;
};

}  // namespace cotangent
