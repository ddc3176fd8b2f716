#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// Values at the nodes c_i of a step from those of the step before, which was `ratio` times shorter, by the polynomial
/// through them: with the Lagrange polynomials L_j of the nodes,
///
///   x_i = sum_j L_j(1 + c_i ratio) old_j
template <class T>
class StageContinuation {
 public:
  using Number = LaneOf<T>;
  using Stages = std::vector<std::vector<T>>;

  explicit StageContinuation(std::vector<Number> c)
      : c_(std::move(c)), weights_(c_.size(), std::vector<Number>(c_.size(), Number(0))) {}

  void set_ratio(Number ratio) {
    if (ratio == ratio_) return;
    ratio_ = ratio;
    for (std::size_t i = 0; i < c_.size(); ++i)
      for (std::size_t j = 0; j < c_.size(); ++j) {
        Number product(1);
        for (std::size_t k = 0; k < c_.size(); ++k)
          if (k != j) product *= (Number(1) + c_[i] * ratio - c_[k]) / (c_[j] - c_[k]);
        weights_[i][j] = product;
      }
  }

  /// @param factor what the values are multiplied by beside.
  void operator()(const Stages& old, Stages& x, Number factor = Number(1)) const {
    for (std::size_t i = 0; i < c_.size(); ++i) {
      std::fill(x[i].begin(), x[i].end(), T(0));
      for (std::size_t j = 0; j < c_.size(); ++j)
        for (std::size_t k = 0; k < x[i].size(); ++k) x[i][k] += T(factor * weights_[i][j]) * old[j][k];
    }
  }

 private:
  std::vector<Number> c_;
  std::vector<std::vector<Number>> weights_;
  Number ratio_ = 0;
};

}  // namespace cotangent
