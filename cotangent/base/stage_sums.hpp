#pragma once

#include <cstddef>

#include "cotangent/base/dual.hpp"

namespace cotangent {

/// sum_k += factor x_k, for a factor without derivatives: over dual numbers all their numbers alike.
template <class T>
void add_scaled(LaneOf<T> factor, const T* x, T* sum, std::size_t size) {
  if constexpr (is_dual<T>) {
    for (std::size_t k = 0; k < size; ++k) {
      sum[k].value += factor * x[k].value;
      for (int i = 0; i < T::kSize - 1; ++i) sum[k].d[i] += factor * x[k].d[i];
    }
  } else {
    for (std::size_t k = 0; k < size; ++k) sum[k] += T(factor) * x[k];
  }
}

/// The larger of `most` and the magnitude of x, where x is finite.
template <class T>
T largest_finite(const T& most, const T& x) {
  if constexpr (is_dual<T>) {
    LaneOf<T> size = abs(x.value), zero = size - size;  // or not a number
    for (int i = 0; i < T::kTangents; ++i) {
      size = max(size, abs(x.d[i]));
      zero += x.d[i] - x.d[i];
    }
    return T(zero == 0 ? max(most.value, size) : most.value);
  } else {
    return max(most, select(isfinite(x), magnitude(x), T(0)));
  }
}

}  // namespace cotangent
