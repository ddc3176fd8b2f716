#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/composed/composition_tables.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// Steps gamma_1 h, ..., gamma_s h of a symmetric method, in turn: see CompositionTable.
///
/// What the method keeps the composition keeps: it is a map of the same group. So the composition of a method that is
/// symplectic on the constraint manifold is so too, of any order.
template <class T>
class Composition final : public Integrator<T> {
 public:
  /// @param facts with what the composition claims.
  Composition(MethodFacts facts, const CompositionTable& table, std::unique_ptr<Integrator<T>> method);

  void hold_chart(const Point<T>& begin) override {
    method_->hold_chart(begin);
    is_held_ = true;
  }
  [[nodiscard]] bool held_right_chart(const Point<T>& begin, const Point<T>& end) override {
    return method_->held_right_chart(begin, end);
  }
  [[nodiscard]] bool held_another_chart(const Point<T>& begin, LaneOf<T> h) override {
    return method_->held_another_chart(begin, h);
  }
  void release_chart() override {
    method_->release_chart();
    is_held_ = false;
  }
  void begin(Point<T>& z) override { method_->begin(z); }
  typename Integrator<T>::TrajectorySize trajectory_size() const override { return method_->trajectory_size(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }

 private:
  struct Run {
    LaneOf<T> gamma;
    std::int64_t count;  // steps of this length, one after the other
  };

  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override;
  StepReport<T> parts(const Point<T>& z, LaneOf<T> h, Point<T>& end);

  std::vector<Run> runs_;
  std::unique_ptr<Integrator<T>> method_;
  bool is_held_ = false;  // by a step that this one is a part of
};

COTANGENT_DECLARE(NUMBERS, Composition);

}  // namespace cotangent
