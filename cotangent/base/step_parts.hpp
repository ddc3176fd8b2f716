#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace cotangent {

/// A step as K shorter ones, for those who compare the two: it is divided at the fractional parts of
///
///   k (3 - sqrt 5)/2,   k = 1, ..., K - 1:
///
/// two parts are 0.382 and 0.618 of it. Equal parts would be blind to whatever has their length as its period, and
/// looks the same to all of them: a force cos(w t) with w h = 4 pi is constant to a method of step h, and to one of
/// h/2. The golden section is farthest from all such ratios, and parts are as even as they can be beside that: at most
/// three lengths, of which the largest is 2.62 times the smallest. Two parts see a force of n periods in a step as far
/// as 0.382 n is no whole number: a quarter of its error or more for n up to 4, and as little as 2 % for n = 13. Nobody
/// sees what acts between the points at which a method looks.
///
/// Parts of a fixed ratio are a fixed map: where the method is symplectic so are they together; those of a symmetric
/// method are no symmetric map, but conjugate to their reversal, which is as good over long times.
class StepParts {
 public:
  /// @param K at least 1.
  explicit StepParts(int K) {
    const double golden = (3 - std::sqrt(5.0)) / 2;
    for (int k = 0; k < K; ++k) ends_.push_back(k * golden - std::floor(k * golden));
    ends_.push_back(1);
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(ends_.begin());
  }

  std::size_t size() const { return ends_.size(); }

  /// How long part k of a step is, after `done` of it. Parts add up to the step.
  template <class Real>
  Real length(std::size_t k, Real step, Real done) const {
    return (k + 1 == ends_.size() ? step : step * static_cast<Real>(ends_[k])) - done;
  }

  /// Which part of the error of a method of order r its steps leave: errors are C h^(r+1), so it is the sum of the
  /// powers r + 1 of the parts. For two of them and r = 2 it is 0.292; with equal ones it were K^-r.
  double error_left(int order) const {
    double sum = 0, before = 0;
    for (const double end : ends_) {
      sum += std::pow(end - before, order + 1);
      before = end;
    }
    return sum;
  }

 private:
  std::vector<double> ends_;  // in parts of the step
};

}  // namespace cotangent
