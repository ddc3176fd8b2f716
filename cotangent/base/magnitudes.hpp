#pragma once

#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

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
