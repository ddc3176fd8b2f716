#pragma once

#include <memory>

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/monitor.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent {

/// max_i R_ii/D_i of R = G H_pp G' = L D L': what elimination loses in its pivots. Never more than the condition number
/// of R, however its rows are scaled.
template <class T>
class ConditionMonitor final : public Monitor<T> {
 public:
  /// @param manifold must outlive the monitor.
  explicit ConditionMonitor(Manifold<T>& manifold) : Monitor<T>("condition"), manifold_(manifold) {}

  bool is_of_point() const override { return false; }  // infinite where constraints are dependent

 private:
  T measure(const PhasePoint<T>& z) override {
    static_cast<void>(manifold_.matrix().factor(z));
    return manifold_.matrix().condition();
  }

  Manifold<T>& manifold_;
};

/// max |lambda|, the largest multiplier.
template <class T>
class MultiplierMonitor final : public Monitor<T> {
 public:
  explicit MultiplierMonitor(Manifold<T>& manifold) : Monitor<T>("multipliers"), values_(manifold) {}

  bool is_of_point() const override { return false; }  // not determined where constraints are dependent

 private:
  T measure(const PhasePoint<T>& z) override {
    T largest(0);
    for (const T& lambda : values_.multipliers(z))
      largest = select((largest < abs(lambda)) | (lambda != lambda), abs(lambda), largest);
    return largest;
  }

  PointValues<T> values_;
};

}  // namespace cotangent
