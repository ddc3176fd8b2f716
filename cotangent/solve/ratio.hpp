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
  const auto value = [](const T& number) {
    if constexpr (is_dual<T>) {
      return T(number.value);
    } else {
      return number;
    }
  };
  const auto include = [](const T& own, T& most) { most = select(isfinite(own), max(most, own), T(infinity<T>())); };
  T most(0), largest(0), each(0);
  for (std::size_t k = 0; k < count; ++k) most = max(most, value(scale[k]));
  const T least = T(epsilon<T>()) * most;
  for (std::size_t k = 0; k < count; ++k) {
    const T size = value(abs(x[k]));
    include(size, largest);
    include(select(size == T(0), T(0), size / (value(scale[k]) + least)), each);
  }
  T overall(0);
  include(select(largest == T(0), T(0), largest / most), overall);
  return {each, overall};
}

}  // namespace cotangent
