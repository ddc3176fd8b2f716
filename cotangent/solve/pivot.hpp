#pragma once

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A pivot d_i is regular if it is finite and
///
///   d_i > kPivotTolerance * epsilon * |A(i,i)|.
///
/// Elimination subtracts A(i,i) - d_i from the diagonal with rounding errors of a few epsilon * A(i,i), so a
/// smaller d_i has not even a reliable sign: the constraints are redundant to working precision.
inline constexpr double kPivotTolerance = 8;

/// What a factorisation found, per lane.
template <class T>
struct FactorReport {
  /// Every pivot is regular. Where false, solve() returns meaningless numbers in that lane.
  Mask<T> regular;
  /// max_i |A(i,i)| / d_i: how much of a diagonal entry elimination cancelled; its logarithm is the number of
  /// digits lost there. Infinity if some pivot is not a positive finite number.
  T growth;

  /// min_i d_i / |A(i,i)|; 0 if some pivot is not a positive finite number.
  T worst_ratio() const { return T(1) / growth; }
};

/// |A(i,i)| / d_i from 1 / d_i. The maximum over i is a running one and needs neither a division nor a
/// branch; NaN is mapped to infinity, because max() may drop a NaN.
template <class T>
inline T pivot_growth(const T& diagonal, const T& inverse_pivot) {
  const T inf = infinity<T>();
  return select((inverse_pivot > T(0)) & (inverse_pivot < inf), abs(diagonal) * inverse_pivot, inf);
}

template <class T>
inline FactorReport<T> report_growth(const T& growth) {
  constexpr LaneOf<T> limit = 1 / (static_cast<LaneOf<T>>(kPivotTolerance) * epsilon<T>());
  return {growth < T(limit), growth};
}

}  // namespace cotangent
