#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The largest of f(0) .. f(count - 1), or 0: by several at a time, which need not wait for each other.
template <class T, class F>
T largest_of(std::size_t count, const F& f) {
  constexpr std::size_t kWays = 8;
  T most[kWays] = {};
  std::size_t k = 0;
  for (; k + kWays <= count; k += kWays)
    for (std::size_t i = 0; i < kWays; ++i) most[i] = max(most[i], f(k + i));
  for (; k < count; ++k) most[0] = max(most[0], f(k));
  for (std::size_t i = 1; i < kWays; ++i) most[0] = max(most[0], most[i]);
  return most[0];
}

/// max |x_k|, with derivatives.
template <class T>
T largest_of(const T* x, std::size_t count) {
  return largest_of<T>(count, [x](std::size_t k) { return magnitude(x[k]); });
}

/// max |x_j|; 0 of nothing.
template <class T>
T largest_of(const std::vector<T>& x) {
  T most(0);
  for (const T& entry : x) most = max(most, abs(entry));
  return most;
}

/// sum |x_j y_j|: with x a gradient, how much a change of every y_j by one part in one may do.
template <class T>
T sum_of_products(const std::vector<T>& x, const std::vector<T>& y) {
  T sum(0);
  for (std::size_t j = 0; j < y.size(); ++j) sum += abs(x[j] * y[j]);
  return sum;
}

}  // namespace cotangent
