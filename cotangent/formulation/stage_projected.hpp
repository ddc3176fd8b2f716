#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"

namespace cotangent {

/// Stage projection: the field of another formulation, evaluated at the nearest point of the constraint manifold,
///
///   z' = f(P(z)),   P(z) the joint OrthogonalProjection of z onto g = 0 and psi = 0.
///
/// A Runge-Kutta method on it is, with W_i = P(Z_i),
///
///   W_i = z_n + h sum_j a_ij f(W_j) - N C(W_i)' Lambda_i,   c(W_i) = 0,   z_{n+1} = z_n + h sum_j b_j f(W_j):
///
/// constraints hold at the stages, not at the ends of steps; of the implicit midpoint rule this is midpoint projection.
/// On the manifold the field is f: the order of a method is kept, and its symmetry. It is not Hamiltonian. Nothing
/// holds a point back that is off the manifold, for f does not see that it is: what steps have added to its distance
/// stays, as a vector. In a periodic motion that goes round in a circle with it; in others it wanders away, and long
/// runs are unstable.
///
/// References: [leimkuhler-reich94, section 4]; its stability [ascher-petzold91].
template <class T>
class StageProjected final : public Formulation<T> {
 public:
  /// @param manifold must outlive this. @param field in q and p.
  StageProjected(Manifold<T>& manifold, Metric metric, std::unique_ptr<Formulation<T>> field);

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override;
  const std::vector<T>& multipliers() const override { return field_->multipliers(); }
  void set_step(LaneOf<T> h) override {
    project_.set_step(h);
    field_->set_step(h);
  }
  void count_projections(ProjectionTally<T>* tally) override { tally_ = tally; }
  std::int64_t size() const override { return field_->size(); }

 private:
  std::unique_ptr<Formulation<T>> field_;
  OrthogonalProjection<T> project_;
  PhasePoint<T> given_, stage_;
  ProjectionTally<T>* tally_ = nullptr;
};

COTANGENT_DECLARE(NUMBERS, StageProjected);

}  // namespace cotangent
