#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/composition_tables.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// Steps gamma_1 h, ..., gamma_s h of a symmetric method, in turn: see CompositionTable.
///
/// What the method keeps the composition keeps: it is a map of the same group. So the composition of a method that is
/// symplectic on the constraint manifold is so too, of any order.
template <class T>
class Composition final : public Integrator<T> {
 public:
  /// @param facts with what the composition claims; see composition_facts.
  Composition(MethodFacts facts, const CompositionTable& table, std::unique_ptr<Integrator<T>> method);

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override;

  void hold_chart(const PhasePoint<T>& begin) override {
    method_->hold_chart(begin);
    is_held_ = true;
  }
  [[nodiscard]] bool held_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) override {
    return method_->held_right_chart(begin, end);
  }
  [[nodiscard]] bool held_another_chart(const PhasePoint<T>& begin, LaneOf<T> h) override {
    return method_->held_another_chart(begin, h);
  }
  void release_chart() override {
    method_->release_chart();
    is_held_ = false;
  }
  std::int64_t chart_changes() const override { return method_->chart_changes(); }
  void begin_anew() override { method_->begin_anew(); }
  void count_projections(ProjectionTally<T>* tally) override { method_->count_projections(tally); }
  std::uint64_t owner() const override { return method_->owner(); }

 private:
  struct Run {
    LaneOf<T> gamma;
    std::int64_t count;  // steps of this length, one after the other
  };

  StepReport<T> parts(PhasePoint<T>& z, LaneOf<T> h);
  void restore(PhasePoint<T>& z, const Mask<T>& failed);

  std::vector<Run> runs_;
  std::unique_ptr<Integrator<T>> method_;
  PhasePoint<T> start_;   // for lanes that fail on the way
  bool is_held_ = false;  // by a step that this one is a part of
  RevisionSource next_revision_;
};

/// What a composition of a method claims.
MethodFacts composition_facts(const std::string& name, const CompositionTable& table, const MethodFacts& method);

COTANGENT_DECLARE(NUMBERS, Composition);

}  // namespace cotangent
