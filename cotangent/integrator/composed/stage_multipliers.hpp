#pragma once

#include <memory>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection.hpp"

namespace cotangent {

/// The implicit midpoint rule for z' = f(z) - N C' lambda, c(z) = 0, whose multipliers are those of its stage:
///
///   Y = z + h/2 (f(Y) - N C(Y)' lambda),   c(Y) = 0,   Z = z + h (f(Y) - N C(Y)' lambda) = 2 Y - z.
///
/// It is made of steps z + h f(Y) of the rule with projected stages (stage_projected.cpp), halfway to which the point
/// lies whose projection Y is.
///
/// Reference: [ascher-petzold91].
template <class T>
class StageMultipliers final : public Integrator<T> {
 public:
  /// @param midpoint with stages that are projected as the policy says. @param manifold must outlive the integrator.
  StageMultipliers(std::unique_ptr<Integrator<T>> midpoint, Manifold<T>& manifold, const ProjectionPolicy& policy)
      : Integrator<T>(midpoint->facts()), midpoint_(std::move(midpoint)), stage_(manifold, policy) {}

  void count_projections(ProjectionTally<T>* tally) override { midpoint_->count_projections(tally); }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  std::unique_ptr<Integrator<T>> midpoint_;
  Projector<T> stage_;
  PhasePoint<T> middle_;
};

COTANGENT_DECLARE(NUMBERS, StageMultipliers);

}  // namespace cotangent
