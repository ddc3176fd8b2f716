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

}  // namespace cotangent
