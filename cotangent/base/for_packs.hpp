#pragma once

#include <cstddef>
#include <type_traits>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// Numbers from x on, as many as V holds: V is T itself or, for doubles, a pack of neighbours.
template <class V, class T>
V load(const T* x) {
  if constexpr (std::is_same_v<V, T>) {
    return *x;
  } else {
    return V::load(x);
  }
}
template <class V, class T>
void store(const V& numbers, T* x) {
  if constexpr (std::is_same_v<V, T>) {
    *x = numbers;
  } else {
    numbers.store(x);
  }
}

/// Doubles in several vector registers, whose operations do not wait for each other.
inline constexpr int kSeveral = 4 * kSimdWidth;

/// Calls f(V(0), k) for parts of vectors of `count` numbers of type T, V numbers from k on: as many as kSeveral while
/// that many are left.
template <class T, class F>
void for_packs(std::size_t count, const F& f) {
  std::size_t k = 0;
  if constexpr (std::is_same_v<T, double>) {
    for (; k + kSeveral <= count; k += kSeveral) f(Pack<kSeveral>(0), k);
    for (; k + kSimdWidth <= count; k += kSimdWidth) f(Pack<kSimdWidth>(0), k);
  }
  for (; k < count; ++k) f(T(0), k);
}

/// The largest of `least` and the magnitudes of size(V(0), k), parts of a vector of `count` numbers as above. In
/// whatever order, it is the same.
template <class T, class Size>
T largest_of_packs(std::size_t count, const T& least, const Size& size) {
  T most = least;
  std::size_t k = 0;
  if constexpr (std::is_same_v<T, double>) {
    const auto take = [&]<int W>(Pack<W> most_of_lanes) {
      if (k + W > count) return;
      for (; k + W <= count; k += W) most_of_lanes = larger_parts(most_of_lanes, size(Pack<W>(0), k));
      most = max(most, max_over_lanes(most_of_lanes));
    };
    take(Pack<kSeveral>(0));
    take(Pack<kSimdWidth>(0));
  }
  for (; k < count; ++k) most = larger_parts(most, size(T(0), k));
  return magnitude(most);
}

}  // namespace cotangent
