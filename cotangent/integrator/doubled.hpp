#pragma once

#include <memory>
#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_doubling.hpp"

namespace cotangent {

/// Two steps of half the length as one, with an estimate of their error where one is asked for: see StepDoubling.
template <class T>
class Doubled final : public Integrator<T> {
 public:
  explicit Doubled(std::unique_ptr<Integrator<T>> method);

  void begin(Point<T>& z) override { method_->begin(z); }
  typename Integrator<T>::TrajectorySize trajectory_size() const override { return method_->trajectory_size(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }
  void tolerate(const Tolerance& tolerance) override { estimate_.emplace(*method_, tolerance); }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;

  std::unique_ptr<Integrator<T>> method_;
  std::optional<StepDoubling<T>> estimate_;
};

/// The method, doubled if it does not estimate its errors.
template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method);

COTANGENT_DECLARE(TRAJECTORIES, Doubled);

}  // namespace cotangent
