#pragma once

#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/simulation/stiffness_watch.hpp"
#include "cotangent/simulation/variable_stepper.hpp"

namespace cotangent {

/// Steps whose errors, in units of what is tolerated, are to be a little less than one: with an error O(h^k),
///
///   h_{n+1} = 0.9 err_n^(-0.7/k) err_{n-1}^(0.4/k) h_n,
///
/// a proportional-integral controller, which is smoother than one that looks at the last error only; but not more than
/// 5 times as long, and not longer at all after a step that was rejected. Where err > 1, the step is made again
/// with 0.9 err^(-1/k) h. Methods without an estimate of their own are to be doubled: see with_estimate.
///
/// Explicit methods are watched: where the system is stiff their steps stay short, whatever the tolerance is.
///
/// Reference: [gustafsson91]; [hw96, IV.2].
template <class T>
class PiStepper final : public VariableStepper<T> {
 public:
  /// @throws std::invalid_argument for a method that does not estimate its errors.
  PiStepper(Integrator<T>& integrator, Manifold<T>& manifold, const AdaptiveOptions& options);

  void finish(Summary& summary) const override;
  void state(Archive& archive, Point<T>& z, std::int64_t k) override;

 private:
  void choose(const Point<T>& z) override;
  T propose() override { return h_; }
  [[nodiscard]] StepReport<T> attempt(const Point<T>& z, T h, Point<T>& end) override;
  T shorter(const PhasePoint<T>& z, T h, const StepReport<T>& report) override;
  void accept(const Point<T>& begin, T h, const StepReport<T>& report, const Point<T>& end) override;

  int error_order() const { return this->integrator_.facts().error_order; }

  std::optional<StiffnessWatch<T>> stiffness_;
  T h_ = T(0);
  double last_error_;
  bool was_rejected_ = false;
};

COTANGENT_DECLARE(PRECISIONS, PiStepper);

}  // namespace cotangent
