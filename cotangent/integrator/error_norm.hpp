#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// How large an estimated error is in units of what is tolerated, for the components of one kind (coordinates, momenta
/// or states; of a formulation in variables of its own, those), which go from x to X in a step:
///
///   |e| = sqrt(mean_k (e_k / d_k)^2),   d_k = absolute + relative max(|x_k|, |X_k|)
///
/// with relative max_k max(|x_k|, |X_k|) for an absolute tolerance of 0, or relative alone where all x_k = 0. A mean,
/// so that it does not depend on the number of components; StepReport::error is that of the worst kind. What is not
/// finite counts as infinite. Reference: [hnw93, II.4].
template <class T>
class ErrorNorm {
 public:
  ErrorNorm() = default;
  explicit ErrorNorm(const Tolerance& tolerance)
      : relative_(static_cast<LaneOf<T>>(tolerance.relative)),
        absolute_(static_cast<LaneOf<T>>(tolerance.absolute)),
        states_(tolerance.states) {}

  /// Of the states only those that count.
  T of_states(const std::vector<T>& e, const std::vector<T>& x, const std::vector<T>& X) const {
    return first(std::min(states_, e.size()), e, x, X);
  }

  T operator()(const std::vector<T>& e, const std::vector<T>& x, const std::vector<T>& X) const {
    return first(e.size(), e, x, X);
  }

 private:
  T first(std::size_t count, const std::vector<T>& e, const std::vector<T>& x, const std::vector<T>& X) const {
    if (count == 0) return T(0);
    T absolute(absolute_);
    if (absolute_ == 0) {
      T begin(0), largest(0);
      for (std::size_t k = 0; k < count; ++k) {
        begin = max(begin, magnitude(x[k]));
        largest = max(largest, max(magnitude(x[k]), magnitude(X[k])));
      }
      absolute = T(relative_) * select(begin > T(0), largest, T(1));
    }
    T sum(0);
    for (std::size_t k = 0; k < count; ++k) {
      const T size = magnitude(e[k]);
      const T ratio = size / (absolute + T(relative_) * max(magnitude(x[k]), magnitude(X[k])));
      sum += select(size == T(0), T(0), ratio * ratio);
    }
    const T norm = sqrt(sum / T(static_cast<LaneOf<T>>(count)));
    return select(isfinite(norm), norm, T(infinity<T>()));
  }

  LaneOf<T> relative_ = 0, absolute_ = 0;
  std::size_t states_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace cotangent
