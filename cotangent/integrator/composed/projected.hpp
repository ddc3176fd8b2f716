#pragma once

#include <memory>
#include <string>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection.hpp"

namespace cotangent {

/// A method followed by a projection, as one method: Z = Pi(Phi_h(z)).
///
/// Pi is what a Projector does, when its policy says so. The error of a step is what Phi_h says of it: the nearest
/// point of the manifold is at most twice as far from the solution as Phi_h(z) is. A step whose error is not tolerated
/// is not projected, for it is made again. The order is that of Phi_h; Pi is not symplectic, and Pi o Phi_h is not
/// symmetric even if Phi_h is, for its inverse is not Pi o Phi_-h.
///
/// A point carries the values that invariants return to, those of the beginning, and the number of steps
/// since. A step back has the number of the step that it undoes.
///
/// Reference: [hlw06, IV.4].
template <class T>
class Projected final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator.
  /// @throws std::invalid_argument if there is nothing to project to, and as Projector.
  Projected(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
            std::unique_ptr<Integrator<T>> method);

  using TrajectorySize = typename Integrator<T>::TrajectorySize;
  void begin(Point<T>& z) override;
  TrajectorySize trajectory_size() const override;
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
  ProjectionReport<T> project(Point<T>& z, LaneOf<T> h, const Mask<T>& lanes);

  std::unique_ptr<Integrator<T>> method_;
  Projector<T> projector_;
  TrajectorySize place_;  // of what it keeps, after that of the method
  Point<T> first_;        // of a trajectory that nobody has begun
  ProjectionTally<T>* tally_ = nullptr;
};

/// What suits a method: none where it keeps the constraints by itself (or there are none), else both.
Projection default_projection(const MethodFacts& facts, std::int64_t constraints);

/// Equations have no other constraints than the invariants that they declare: where a projection names none these are
/// meant.
ProjectionPolicy with_declared(ProjectionPolicy policy, const Elements& elements);

/// project:KIND:METRIC:every=K:above=EPS:INVARIANT(METHOD), without what is usual.
std::string projected_name(const ProjectionPolicy& policy, const std::string& method);

/// The method followed by the projection; the method itself where the policy has nothing to do.
/// @throws std::invalid_argument as Projector.
template <class T>
std::unique_ptr<Integrator<T>> with_projection(std::unique_ptr<Integrator<T>> method, Manifold<T>& manifold,
                                               const ProjectionPolicy& policy);

COTANGENT_DECLARE(NUMBERS, Projected);

}  // namespace cotangent
