#pragma once

#include <memory>
#include <string>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection.hpp"

namespace cotangent {

/// A method followed by a projection, as one method: Z = Pi(Phi_h(z)).
///
/// Pi is what a Projector does after every step, and the error of a step is what Phi_h says of it: the nearest point of
/// the manifold is at most twice as far from the solution as Phi_h(z) is. Invariants return to what they are at the
/// beginning of the step, so that nothing is kept from step to step. The order is that of Phi_h; Pi is not symplectic,
/// and Pi o Phi_h is not symmetric even if Phi_h is, for its inverse is not Pi o Phi_-h.
///
/// Reference: [hlw06, IV.4].
template <class T>
class Projected final : public Integrator<T> {
 public:
  /// @param manifold must outlive the integrator. @param policy when it projects is not its affair: in every step.
  /// @throws std::invalid_argument if there is nothing to project to.
  Projected(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
            std::unique_ptr<Integrator<T>> method);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

  void hold_chart(const PhasePoint<T>& begin) override { method_->hold_chart(begin); }
  [[nodiscard]] bool held_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) override {
    return method_->held_right_chart(begin, end);
  }
  [[nodiscard]] bool held_another_chart(const PhasePoint<T>& begin, LaneOf<T> h) override {
    return method_->held_another_chart(begin, h);
  }
  void release_chart() override { method_->release_chart(); }
  std::int64_t chart_changes() const override { return method_->chart_changes(); }
  void begin_anew() override { method_->begin_anew(); }
  std::uint64_t owner() const override { return method_->owner(); }
  void count_projections(ProjectionTally<T>* tally) override {
    tally_ = tally;
    method_->count_projections(tally);
  }
  void tolerate(const Tolerance& tolerance) override { method_->tolerate(tolerance); }

 private:
  std::unique_ptr<Integrator<T>> method_;
  Projector<T> projector_;
  PhasePoint<T> begin_;
  ProjectionTally<T>* tally_ = nullptr;
};

/// What the projection of a method claims.
MethodFacts projected_facts(const std::string& name, const ProjectionPolicy& policy, const MethodFacts& method);

COTANGENT_DECLARE(NUMBERS, Projected);

}  // namespace cotangent
