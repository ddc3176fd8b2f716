#pragma once

#include <cstdint>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/integrator/error_norm.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// Steps with an estimate of their error: the method's own, or by step doubling,
///
///   z1 = Phi_h(z),   z2 = Phi_{h/2}(Phi_{h/2}(z)),   error of z2 = |z2 - z1| / (2^p - 1) + O(h^(p+2)),
///
/// where the step ends at z2, so that whatever the method keeps is kept.
///
/// Reference: [hnw93, II.4].
template <class T>
class TrialStep {
 public:
  /// @param integrator must outlive this; with facts().error_order > 0 unless `doubles`.
  TrialStep(Integrator<T>& integrator, const Tolerance& tolerance, bool doubles);

  /// Like Integrator::step, with StepReport::error.
  [[nodiscard]] StepReport<T> operator()(PhasePoint<T>& z, T h);

  /// Steps of the method from the beginning to the end.
  int parts() const { return doubles_ ? 2 : 1; }

  /// The error is O(h^k).
  int error_order() const { return error_order_; }

 private:
  Integrator<T>& integrator_;
  ErrorNorm<T> norm_;
  bool doubles_;
  int error_order_;
  T richardson_;  // 2^p - 1
  PhasePoint<T> begin_, whole_;
};

COTANGENT_DECLARE(PRECISIONS, TrialStep);

}  // namespace cotangent
