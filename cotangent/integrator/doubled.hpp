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

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

  void begin(PhasePoint<T>& z) override { method_->begin(z); }
  typename Integrator<T>::MemorySize memory_size() const override { return method_->memory_size(); }
  std::int64_t chart_changes() const override { return method_->chart_changes(); }
  void begin_anew() override { method_->begin_anew(); }
  std::uint64_t owner() const override { return method_->owner(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }
  void tolerate(const Tolerance& tolerance) override { estimate_.emplace(*method_, tolerance); }

 private:
  std::unique_ptr<Integrator<T>> method_;
  std::optional<StepDoubling<T>> estimate_;
  PhasePoint<T> begin_;
};

/// The method, doubled if it does not estimate its errors.
template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method);

COTANGENT_DECLARE(TRAJECTORIES, Doubled);

}  // namespace cotangent
