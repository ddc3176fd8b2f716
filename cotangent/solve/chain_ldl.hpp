#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/solve/ordering.hpp"

namespace cotangent {

/// Twisted factorisation of a tridiagonal matrix
///
///       | a_0 u_0              |
///   A = | l_0 a_1 u_1          |      rows taken along the chain, e_i = l_i u_i.
///       |     l_1 a_2  ...     |
///
/// A Thomas loop waits for one division and one fma per row. Three rearrangements shorten the wait; none of them
/// causes fill, and none of them weakens the componentwise backward error bound of the Thomas loop.
///
/// 1. Rows are eliminated from both ends towards the middle: two recurrences that do not depend on each other.
///
/// 2. Pivots are quotients of continuants, d_i = p_i / p_{i-1} with p_i = a_i p_{i-1} - e_{i-1} p_{i-2}, so that
///    d_i = a_i - e_{i-1} / d_{i-1} up to one rounding of each term. Continuants need no division; restarting them
///    every kBlock rows from p_{-1} = 1 / d, p_0 = 1 keeps them in range, as each is a product of at most kBlock
///    pivots (|a_i| between 1e-75 and 1e75 in double). Per chain, kBlock rows wait for one division.
///
/// 3. The triangular solves step two rows at a time, z_{i+2} = (b_{i+2} - f_{i+1} b_{i+1}) + f_{i+1} f_i z_i,
///    where only the last fma waits for z_i.
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

  const T& inverse_pivot(int row) const;

 private:
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
