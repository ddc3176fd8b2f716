#pragma once

#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// The distance of two points in units of what is tolerated of a step from `begin` to one of them: the root of the mean
/// of (dx / (absolute + relative |x|))^2 over all components, |x| the larger one of its values at begin and end.
template <class T>
T point_error(const PhasePoint<T>& begin, const PhasePoint<T>& end, const PhasePoint<T>& other,
              const Tolerance& tolerance) {
  T sum(0);
  std::size_t count = 0;
  const T relative(tolerance.relative);
  const auto take = [&](const std::vector<T>& x, const std::vector<T>& X, const std::vector<T>& Y) {
    T absolute(tolerance.absolute);
    if (tolerance.absolute == 0) {
      T largest(0);
      for (std::size_t j = 0; j < x.size(); ++j) largest = max(largest, max(abs(x[j]), abs(X[j])));
      absolute = relative * largest;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      const T difference = X[j] - Y[j];
      if (difference == T(0)) continue;
      const T ratio = difference / (absolute + relative * max(abs(x[j]), abs(X[j])));
      sum += ratio * ratio;
    }
    count += x.size();
  };
  take(begin.q, end.q, other.q);
  take(begin.p, end.p, other.p);
  take(begin.s, end.s, other.s);
  return sqrt(sum / static_cast<T>(count));
}

}  // namespace cotangent
