#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/error_norm.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// Steps with an estimate of their error for a method of order p that has none of its own:
///
///   z1 = Phi_h(z),   z2 = Phi_{h/2}(Phi_{h/2}(z)),   error of z2 = |z2 - z1| / (2^p - 1) + O(h^(p+2)),
///
/// where the step ends at z2, so that whatever the method keeps is kept.
///
/// Reference: [hnw93, II.4].
template <class T>
class StepDoubling {
 public:
  /// @param method must outlive this.
  StepDoubling(Integrator<T>& method, const Tolerance& tolerance);

  /// Like Integrator::step, with StepReport::error = O(h^(p+1)).
  [[nodiscard]] StepReport<T> operator()(const Point<T>& z, LaneOf<T> h, Point<T>& end);

 private:
  Integrator<T>& method_;
  ErrorNorm<T> norm_;
  T richardson_;  // 2^p - 1
  Point<T> whole_, middle_;
  std::vector<T> difference_;
};

COTANGENT_DECLARE(TRAJECTORIES, StepDoubling);

}  // namespace cotangent
