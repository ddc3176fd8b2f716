#pragma once

#include <memory>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/integrator.hpp"

namespace cotangent {

/// A method that advances the vector field of a formulation, in the variables of the formulation: it goes into them,
/// makes its step and comes back with q and p.
///
/// A step in a chart that turns out not to be the right one for both of its ends is made again in the right one; one
/// that fails is tried in others.
template <class T>
class FieldIntegrator : public Integrator<T> {
 public:
  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) final;

  void hold_chart(const PhasePoint<T>& begin) final {
    formulation_->begin_step(begin);
    formulation_->hold_chart(true);
  }
  [[nodiscard]] bool held_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) final {
    formulation_->hold_chart(false);
    const bool is_right = formulation_->is_right_chart(begin, end);
    formulation_->hold_chart(true);
    return is_right;
  }
  [[nodiscard]] bool held_another_chart(const PhasePoint<T>& begin, LaneOf<T> h) final {
    formulation_->hold_chart(false);
    const bool is_chosen = formulation_->choose_another_chart(begin, h);
    formulation_->hold_chart(true);
    return is_chosen;
  }
  void release_chart() final { formulation_->hold_chart(false); }
  std::int64_t chart_changes() const final { return formulation_->chart_changes(); }
  void begin_anew() override {
    last_revision_ = 0;
    formulation_->begin_anew();
  }
  void count_projections(ProjectionTally<T>* tally) final { formulation_->count_projections(tally); }
  std::uint64_t owner() const final { return formulation_->is_physical() ? 0 : formulation_->id(); }

 protected:
  FieldIntegrator(MethodFacts facts, std::unique_ptr<Formulation<T>> formulation)
      : Integrator<T>(under(std::move(facts), *formulation)), formulation_(std::move(formulation)) {}

  /// A step of x, whose q and p are the variables of the formulation; does not touch x.own.
  [[nodiscard]] virtual StepReport<T> step_variables(PhasePoint<T>& x, LaneOf<T> h) = 0;

  /// The next step does not continue the last one in these lanes.
  virtual void forget(const Mask<T>& /*lanes*/) {}

  Formulation<T>& formulation() { return *formulation_; }

  /// Where, in q and p, the step begins that is being made.
  const PhasePoint<T>& beginning() const { return *beginning_; }

  /// Whether the step begins where the last one, in the same variables, has ended.
  bool is_continuation() const { return is_continuation_; }

  /// What a field that was not found makes of a step: the reason is that of the first lane in which it was not. Lanes
  /// in which it was go on.
  void note_failure(StepReport<T>& report, const Mask<T>& found);

 private:
  // What of a method's claims remains under a formulation.
  static MethodFacts under(MethodFacts facts, const Formulation<T>& formulation) {
    facts.symplectic = facts.symplectic && formulation.facts().hamiltonian;
    facts.symplectic_off = facts.symplectic && formulation.is_physical();
    facts.symmetric = facts.symmetric && formulation.facts().reversible;
    facts.keeps_energy = facts.keeps_energy && formulation.facts().hamiltonian && formulation.facts().on_position &&
                         formulation.facts().on_momentum;
    facts.keeps_position = formulation.facts().on_position;
    facts.keeps_momentum = formulation.facts().on_momentum;
    // From any p* it finds a momentum that meets the hidden constraint, and q is as it comes. Charts meet both,
    // velocities neither.
    facts.has_impetus = !formulation.is_physical() && facts.keeps_momentum && !facts.keeps_position;
    return facts;
  }
  [[nodiscard]] StepReport<T> step_elsewhere(PhasePoint<T>& z, LaneOf<T> h);
  [[nodiscard]] StepReport<T> try_elsewhere(const PhasePoint<T>& z, LaneOf<T> h, bool is_old);
  void renew(PhasePoint<T>& z, const Mask<T>& where);

  std::unique_ptr<Formulation<T>> formulation_;
  PhasePoint<T> x_, end_;
  const PhasePoint<T>* beginning_ = nullptr;
  bool is_continuation_ = false;
  std::uint64_t last_revision_ = 0;
  RevisionSource next_revision_;
};

COTANGENT_DECLARE(NUMBERS, FieldIntegrator);

}  // namespace cotangent
