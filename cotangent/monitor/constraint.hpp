#pragma once

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/monitor.hpp"

namespace cotangent {

/// max |g(q, t)|.
template <class T>
class PositionMonitor final : public Monitor<T> {
 public:
  /// @param manifold must outlive the monitor.
  explicit PositionMonitor(Manifold<T>& manifold) : Monitor<T>("position"), manifold_(manifold) {}

 private:
  T measure(const PhasePoint<T>& z) override { return manifold_.position_residual(z.q.data(), T(z.t)).value; }

  Manifold<T>& manifold_;
};

/// max |G H_p + g_t|, the rate at which the constraints are being left.
template <class T>
class MomentumMonitor final : public Monitor<T> {
 public:
  /// @param manifold must outlive the monitor.
  explicit MomentumMonitor(Manifold<T>& manifold) : Monitor<T>("momentum"), manifold_(manifold) {}

 private:
  T measure(const PhasePoint<T>& z) override { return manifold_.momentum_residual(z).value; }

  Manifold<T>& manifold_;
};

}  // namespace cotangent
