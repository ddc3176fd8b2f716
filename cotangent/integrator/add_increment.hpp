#pragma once

#include <vector>

#include "cotangent/base/phase_point.hpp"

namespace cotangent {

/// x + low <- x + low + increment, compensated, in those lanes.
template <class T>
void add_increment(const Mask<T>& where, const std::vector<T>& increment, std::vector<T>& x, std::vector<T>& low) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    T rest = low[k];
    const T sum = add_compensated(x[k], increment[k], rest);
    x[k] = select(where, sum, x[k]);
    low[k] = select(where, rest, low[k]);
  }
}

}  // namespace cotangent
