#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/direct/ordering.hpp"

namespace cotangent {

/// Twisted factorisation of a tridiagonal matrix
///
///       | a_0 u_0              |
///   A = | l_0 a_1 u_1          |      rows taken along the chain, e_i = l_i u_i.
///       |     l_1 a_2  ...     |
///
/// A Thomas loop waits for one division and one fma per row. Three rearrangements shorten this wait.
///
/// 1. Rows are eliminated from both ends towards the middle: two recurrences that do not depend on each
///    other.
///
/// 2. Pivots are quotients of continuants, d_i = p_i / p_{i-1} with p_i = a_i p_{i-1} - e_{i-1} p_{i-2}.
///    Rounding p_i and e_{i-1} p_{i-2} once each gives d_i (1 + r) = a_i - e_{i-1} (1 + s) / d_{i-1}: the
///    backward error of the Thomas loop. Continuants need no division; restarting them every four rows from
///    p_{-1} = 1 / d, p_0 = 1 keeps them in range, as each is a product of at most four pivots (1e-75 < a_i
///    < 1e75 in double). So each chain waits for one division in four rows, and the others run in a vector.
///
/// 3. The triangular solves step two rows at a time, z_{i+2} = (b_{i+2} - f_{i+1} b_{i+1}) + f_{i+1} f_i
///    z_i, where only the last fma waits for z_i. Each z_i is exact for some f and b changed by a few
///    roundings, but not the same change for all i: where pivots cancel twelve digits, the backward error
///    is ten roundings instead of one.
///
/// Several disjoint chains are treated as one with zero couplings between them.
template <class T>
class ChainLdl {
 public:
  explicit ChainLdl(ChainOrder order);

  /// Both return max_i |A(i,i)| / d_i, see FactorReport.
  T factor(const T* diagonal, const T* lower);
  T factor(const T* diagonal, const T* lower, const T* upper);

  void solve(T* x) const;

  /// The k-th pivot in the order of elimination, 0, m-1, 1, m-2, ...: its row and 1 / d.
  int pivot_row(int k) const { return natural_ ? place(k) : order_.row[place(k)]; }
  const T& inverse_pivot(int k) const { return inverse_[place(k)]; }

 private:
  int place(int k) const { return k % 2 == 0 ? k / 2 : size_ - 1 - k / 2; }

  template <bool kSymmetric>
  T eliminate(const T* diagonal, const T* lower, const T* upper);
  void substitute(T* x) const;

  int size_;
  bool natural_;      // rows and couplings are numbered along the chain: the caller's arrays are used in place
  ChainOrder order_;  // empty if natural
  bool symmetric_ = true;

  // In chain order. f_i and g_i belong to coupling i: f in the forward substitution, g in the backward one.
  std::vector<T> inverse_, forward_, backward_;
  // Values brought into chain order; empty if natural.
  std::vector<T> diagonal_, lower_, upper_;
  mutable std::vector<T> x_;
};

}  // namespace cotangent
