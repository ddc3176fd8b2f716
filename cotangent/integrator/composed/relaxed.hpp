#pragma once

#include <memory>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/projection/relaxation.hpp"

namespace cotangent {

/// A method whose steps are relaxed, so that invariants are kept: see relaxation.hpp. One invariant takes the step of
/// any method; several take embedded results, which explicit Runge-Kutta methods have (Integrator::embedded).
///
/// A step of length h ends at t + gamma h. The order is that of the method at that time; neither symmetry nor
/// symplecticity stay. Where there is no root near the step its end goes to the nearest point, at t + h.
///
/// References: [ketcheson19], [biswas-ketcheson23].
template <class T>
class Relaxed final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument for systems, policies and number types that it does not take.
  Relaxed(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
          std::unique_ptr<Integrator<T>> method);

  using TrajectorySize = typename Integrator<T>::TrajectorySize;
  void begin(Point<T>& z) override;
  TrajectorySize trajectory_size() const override { return {place_ + invariants_.count(), counts_}; }
  void count_projections(ProjectionTally<T>* tally) override {
    tally_ = tally;
    method_->count_projections(tally);
  }
  Integrator<T>& unprojected() override { return method_->unprojected(); }
  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) override {
    method_->tolerate(tolerance, noise);
  }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  StepReport<T> relax(LaneOf<T> h, PhasePoint<T>& Z);
  void count(const PhasePoint<T>& Z);

  std::unique_ptr<Integrator<T>> method_;
  KeptInvariants<T> invariants_;
  const std::size_t place_ =
      method_->trajectory_size().numbers;  // of the values to return to, after those of the method
  const std::size_t counts_ = method_->trajectory_size().counts;
  const std::size_t count_;  // of directions
  Relaxation<T> relaxation_;
  OrthogonalProjection<T> nearest_;
  bool has_fallen_back_ = false;
  PhasePoint<T> before_;
  Point<T> first_;  // of a trajectory that nobody has begun
  ProjectionTally<T>* tally_ = nullptr;
};

COTANGENT_DECLARE(NUMBERS, Relaxed);

}  // namespace cotangent
