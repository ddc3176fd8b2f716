#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/solve/direct/lane_inverse.hpp"

namespace cotangent {

/// The Hamiltonian group-preserving scheme, for an equation x' = f(x) with one invariant I whose Hessian I'' is
/// regular: such an equation is x' = J grad I with a skew J. The scheme moves the gradient y = grad I, whose rate is
/// I'' f, by an element of the Lorentz group, and takes the length of what comes from the invariant:
///
///   w = y + eta I'' f,   grad I(X) = a w,   I(X) = I(0)     for (X, a)
///
/// with eta of lorentz_factor.hpp. Both equations are solved at once, by Newton's method from X = x + h f and a = 1;
/// the point that a scaling of the gradient reaches is the one that [liu06, equation (81)] asks for. The invariant is
/// met to rounding, at the value that the trajectory began with.
///
/// Where I is strictly convex, or concave, the gradient determines the point [liu06, theorem 1]; a regular Hessian does
/// so near it.
template <class T>
class HamiltonianMgps final : public Integrator<T> {
 public:
  /// @throws std::invalid_argument unless the system is autonomous, has one invariant, and is not too large for a full
  /// matrix.
  HamiltonianMgps(MethodFacts facts, System<T>& system, std::unique_ptr<Formulation<T>> formulation);

  using TrajectorySize = typename Integrator<T>::TrajectorySize;
  void begin(Point<T>& z) override;
  TrajectorySize trajectory_size() const override { return {1, 0}; }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  void set_matrix();

  std::unique_ptr<Formulation<T>> field_;
  System<T>& system_;
  KeptInvariants<T> invariant_;
  const std::size_t n_ = static_cast<std::size_t>(system_.elements().states);
  PhasePoint<T> x_{0, system_.state_count()};
  Point<T> first_;  // of a trajectory that nobody has begun
  std::vector<T> f_ = std::vector<T>(n_, T(0)), y_ = f_, w_ = f_, column_ = f_, unit_ = f_,
                 right_ = std::vector<T>(n_ + 1, T(0)), correction_ = right_;
  const std::vector<T> one_{T(1)};
  LaneInverse<T> matrix_{n_ + 1};
};

COTANGENT_DECLARE(NUMBERS, HamiltonianMgps);

}  // namespace cotangent
