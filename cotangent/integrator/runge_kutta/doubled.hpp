#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/step_parts.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"

namespace cotangent {

/// Steps with an estimate of their error for a method of order p that has none of its own:
///
///   z1 = Phi_h(z),   z2 = Phi_b(Phi_a(z)),   error of z2 = |z2 - z1| l / (1 - l) + O(h^(p+2)),
///
/// with the two StepParts a + b = h, which leave the part l = (a^(p+1) + b^(p+1)) / h^(p+1) of the error. The step ends
/// at z2, so that whatever the method keeps is kept; but it is not symmetric.
///
/// Reference: [hnw93, II.4], there with equal parts.
template <class T>
class StepDoubling {
 public:
  /// @param method must outlive this.
  StepDoubling(Integrator<T>& method, const Tolerance& tolerance);

  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) { norm_ = ErrorNorm<T>(tolerance, noise); }

  /// Like Integrator::step, with StepReport::error = O(h^(p+1)): that of both parts.
  [[nodiscard]] StepReport<T> operator()(const Point<T>& z, LaneOf<T> h, Point<T>& end);

  /// l: the error of one step of length h is that of both parts divided by it.
  double error_left() const { return left_; }

 private:
  Integrator<T>& method_;
  ErrorNorm<T> norm_;
  StepParts parts_{2};
  double left_;
  Point<T> whole_, middle_;
  std::vector<T> difference_;
};

/// Two steps, in the ratio of StepParts, as one, with an estimate of their error where one is asked for: see
/// StepDoubling.
template <class T>
class Doubled final : public Integrator<T> {
 public:
  explicit Doubled(std::unique_ptr<Integrator<T>> method);

  void begin(Point<T>& z) override { method_->begin(z); }
  typename Integrator<T>::TrajectorySize trajectory_size() const override { return method_->trajectory_size(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }
  void tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) override {
    if (!estimate_) estimate_.emplace(*method_, tolerance);
    estimate_->tolerate(tolerance, noise);
  }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  std::unique_ptr<Integrator<T>> method_;
  StepParts parts_{2};
  std::optional<StepDoubling<T>> estimate_;
};

/// The method, doubled if it does not estimate its errors.
template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method);

COTANGENT_DECLARE(TRAJECTORIES, StepDoubling);
COTANGENT_DECLARE(TRAJECTORIES, Doubled);

}  // namespace cotangent
