#pragma once

#include "cotangent/base/instantiate.hpp"
#include "cotangent/simulation/pace/stepper.hpp"
#include "cotangent/simulation/pace/time_grid.hpp"

namespace cotangent {

/// Steps along a grid.
template <class T>
class FixedStepper final : public Stepper<T> {
 public:
  /// All must outlive the stepper. @param is_autonomous whether neither H nor a constraint depends on the time.
  FixedStepper(Integrator<T>& integrator, const TimeGrid<T>& grid, bool is_autonomous)
      : integrator_(integrator), grid_(grid), is_autonomous_(is_autonomous) {}

  void start(const Point<T>& z) override;
  bool is_done(const PhasePoint<T>& /*z*/, std::int64_t k) const override { return place(k) >= grid_.steps(); }
  [[nodiscard]] Stride<T> advance(const Point<T>& z, std::int64_t k, Looks looks, Point<T>& end,
                                  StepWatch<T>* watch) override;
  bool is_recorded(const PhasePoint<T>& /*z*/, std::int64_t k) const override {
    return grid_.is_recorded_anyway(place(k));
  }
  T usual_length() const override { return grid_.step(); }
  T start_time() const override { return grid_.start(); }
  T end() const override { return grid_.end(); }
  std::int64_t expected_steps() const override { return grid_.steps() + shift_; }
  void finish(Summary& summary) const override { summary.step = static_cast<double>(abs(grid_.step())); }
  void state(Archive& archive, Point<T>& z, std::int64_t k) override;

 private:
  // Where on the grid the run is after k steps.
  std::int64_t place(std::int64_t k) const { return k - shift_; }
  T length(const PhasePoint<T>& z, std::int64_t k) const;
  std::int64_t steps_at_once(const PhasePoint<T>& z, std::int64_t k, Looks looks) const;

  Integrator<T>& integrator_;
  const TimeGrid<T>& grid_;
  const bool is_autonomous_;
  // A run that goes on from an end between two points of the grid has made more steps than there are points.
  std::int64_t shift_ = 0;
  bool is_between_ = false;
};

COTANGENT_DECLARE(PRECISIONS, FixedStepper);

}  // namespace cotangent
