#pragma once

#include <cmath>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// What elimination leaves of a diagonal entry, and the size of what was added up to get there:
///
///   d_i = A(i,i) - sum_j t_j,   t_j = L(i,j) D(j) U(j,i)
///   c_i = |A(i,i)|                  where A is nearly symmetric and positive definite: then 0 < t_j < A(i,i)
///   c_i = |A(i,i)| + sum_j |t_j|    for any other A, whose A(i,i) may well be 0
///
/// The sum carries rounding errors of a few epsilon * c_i, so a pivot is regular if it is finite and
///
///   |d_i| > kPivotTolerance * epsilon * c_i    (and d_i > 0 in the first case).
///
/// A smaller one has not even a reliable sign: the constraints are redundant to working precision.
inline constexpr double kPivotTolerance = 8;

/// epsilon^(2/3): the pivots d_i <= rank_tolerance * c_i of a positive semidefinite A are taken for 0. The pivot of a
/// row that is a combination of others comes out as epsilon times, at worst, the condition of those others; this
/// leaves room for a condition of epsilon^(-1/3), and for pivots of independent rows that are not much smaller.
template <class T>
LaneOf<T> rank_tolerance() {
  return static_cast<LaneOf<T>>(std::exp2(std::log2(static_cast<double>(epsilon<T>())) * 2 / 3));
}

/// What a factorisation found, per lane.
template <class T>
struct FactorReport {
  /// Every pivot is regular. Where false, solve() returns meaningless numbers in that lane.
  Mask<T> regular;
  /// max_i c_i / |d_i|: how much elimination cancelled in a pivot; its logarithm is the number of digits lost
  /// there. Infinity if some pivot is not finite, is zero, or has a sign that it may not have.
  T growth;

  /// min_i |d_i| / c_i; 0 where growth is infinite.
  T worst_ratio() const { return T(1) / growth; }
};

/// The row with the smallest |d_i| / c_i in one lane; the one eliminated first among equals, because a pivot that is
/// not finite spoils those after it.
template <class T>
struct WorstPivot {
  int row = -1;                     ///< caller's number; -1 if there are no rows
  LaneOf<T> ratio = infinity<T>();  ///< |d_i| / c_i; 0 if the pivot is none that can be divided by

  /// To be called in the order of elimination.
  void consider(int candidate, const T& growth, int lane_index) {
    const LaneOf<T> its_ratio = 1 / lane(growth, lane_index);
    if (row < 0 || its_ratio < ratio) row = candidate, ratio = its_ratio;
  }
};

/// c_i / d_i from c_i and 1 / d_i. The maximum over i is a running one and needs neither a division nor a
/// branch; NaN is mapped to infinity, because max() may drop a NaN.
template <class T>
inline T pivot_growth(const T& magnitude, const T& inverse_pivot) {
  const T inf = infinity<T>();
  return select((inverse_pivot > T(0)) & (inverse_pivot < inf), abs(magnitude) * inverse_pivot, inf);
}

template <class T>
inline FactorReport<T> report_growth(const T& growth) {
  constexpr LaneOf<T> limit = 1 / (static_cast<LaneOf<T>>(kPivotTolerance) * epsilon<T>());
  return {growth < T(limit), growth};
}

// Rules for the pivots of an elimination. It tells a rule A(i,i) and the factors of every t_j, and goes on with what
// inverse() makes of d_i.

/// All pivots are to be positive.
template <class T>
struct PositivePivots {
  T growth = T(0);
  T a{};

  void begin(const T& diagonal) { a = diagonal; }
  void subtract(const T&, const T&) {}
  T inverse(int, const T& d) {
    const T inverse = T(1) / d;
    growth = max(growth, pivot_growth(a, inverse));
    return inverse;
  }
};

/// Pivots may have either sign; keeps c_i.
template <class T>
struct SignedPivots {
  T* magnitude;
  T growth = T(0);
  T c{};

  void begin(const T& diagonal) { c = abs(diagonal); }
  void subtract(const T& l, const T& z) { c += abs(l * z); }
  T inverse(int row, const T& d) {
    const T inverse = T(1) / d;
    magnitude[row] = c;
    growth = max(growth, pivot_growth(c, abs(inverse)));
    return inverse;
  }
};

/// Pivots are positive or zero; a row whose pivot is zero up to `tolerance` is left out: 1 / d is taken as 0, and with
/// it the row's column of L.
template <class T>
struct DroppedPivots {
  T tolerance;
  T c{};

  void begin(const T& diagonal) { c = abs(diagonal); }
  void subtract(const T& l, const T& z) { c += abs(l * z); }
  T inverse(int, const T& d) const { return select(d > tolerance * c, T(1) / d, T(0)); }
};

}  // namespace cotangent
