#pragma once

#include <cstddef>

#include "cotangent/base/dual.hpp"

namespace cotangent {

/// A residual in units of what is added up in it.
template <class T>
struct Ratio {
  T each = T(0);  ///< max_k |x_k| / scale_k: every component in its own units
  T overall =
      T(0);  ///< max_k |x_k| / max_k scale_k: an iteration that no longer shrinks has converged if this is small,
             ///< for what was added up to zeros (cancelled forces on a massless point) has no units of its own

  void include(const Ratio& other) {
    each = max(each, other.each);
    overall = max(overall, other.overall);
  }
};

/// Nothing counts as smaller than epsilon times the largest scale. Dual numbers count by their values.
template <class T>
Ratio<T> ratio_of(const T* x, const T* scale, std::size_t count) {
  T most(0);
  Ratio<T> ratio;
  for (std::size_t k = 0; k < count; ++k) most = max(most, scale[k]);
  const auto value = [](const T& number) {
    if constexpr (is_dual<T>) {
      return T(number.value);
    } else {
      return number;
    }
  };
  const auto take = [&](T& largest, const T& with_tangents, const T& unit) {
    const T size = value(with_tangents);
    const T own = size / value(unit);
    largest = select(size == T(0), largest, select(isfinite(own), max(largest, own), T(infinity<T>())));
  };
  for (std::size_t k = 0; k < count; ++k) {
    take(ratio.each, abs(x[k]), scale[k] + T(epsilon<T>()) * most);
    take(ratio.overall, abs(x[k]), most);
  }
  return ratio;
}

}  // namespace cotangent
