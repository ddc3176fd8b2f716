#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/runge_kutta/error_norm.hpp"

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

  void tolerate(const Tolerance& tolerance) { norm_ = ErrorNorm<T>(tolerance); }

  /// Like Integrator::step, with StepReport::error = O(h^(p+1)).
  [[nodiscard]] StepReport<T> operator()(const Point<T>& z, LaneOf<T> h, Point<T>& end);

 private:
  Integrator<T>& method_;
  ErrorNorm<T> norm_;
  T richardson_;  // 2^p - 1
  Point<T> whole_, middle_;
  std::vector<T> difference_;
};

/// Two steps of half the length as one, with an estimate of their error where one is asked for: see StepDoubling.
template <class T>
class Doubled final : public Integrator<T> {
 public:
  explicit Doubled(std::unique_ptr<Integrator<T>> method);

  void begin(Point<T>& z) override { method_->begin(z); }
  typename Integrator<T>::TrajectorySize trajectory_size() const override { return method_->trajectory_size(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }
  void tolerate(const Tolerance& tolerance) override {
    estimate_ ? estimate_->tolerate(tolerance) : static_cast<void>(estimate_.emplace(*method_, tolerance));
  }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  std::unique_ptr<Integrator<T>> method_;
  std::optional<StepDoubling<T>> estimate_;
};

/// The method, doubled if it does not estimate its errors.
template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method);

COTANGENT_DECLARE(TRAJECTORIES, StepDoubling);
COTANGENT_DECLARE(TRAJECTORIES, Doubled);

}  // namespace cotangent
