#pragma once

#include <memory>
#include <span>
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
  void hold_chart(const Point<T>& begin) final {
    formulation_->begin_step(begin, begin.own());
    formulation_->sign(first_);
    formulation_->hold_chart(true);
    is_held_ = true;
  }
  [[nodiscard]] bool held_right_chart(const Point<T>& begin, const Point<T>& end) final {
    formulation_->hold_chart(false);
    const bool is_right = formulation_->is_right_chart(begin, end);
    formulation_->hold_chart(true);
    return is_right;
  }
  [[nodiscard]] bool held_another_chart(const Point<T>& begin, LaneOf<T> h) final {
    formulation_->hold_chart(false);
    const bool is_chosen = formulation_->choose_another_chart(begin, h);
    formulation_->hold_chart(true);
    return is_chosen;
  }
  void release_chart() final {
    formulation_->hold_chart(false);
    is_held_ = false;
  }
  void count_projections(ProjectionTally<T>* tally) final { formulation_->count_projections(tally); }

 protected:
  FieldIntegrator(MethodFacts facts, std::unique_ptr<Formulation<T>> formulation)
      : Integrator<T>(under(std::move(facts), *formulation)), formulation_(std::move(formulation)) {
    this->distinguish(formulation_->facts().name);
  }

  /// A step of x in place, whose q and p are the variables of the formulation.
  /// @param before what was remembered where it begins, @param after is remembered of its end. Where `before` has the
  /// depth 0 nothing is known, nor is it afterwards if that is left to be 0.
  [[nodiscard]] virtual StepReport<T> step_variables(PhasePoint<T>& x, LaneOf<T> h, const Memory<T>& before,
                                                     Memory<T>& after) = 0;

  /// The next step does not continue the last one in these lanes.
  virtual void forget(const Mask<T>& /*lanes*/, Memory<T>& /*memory*/) const {}

  Formulation<T>& formulation() { return *formulation_; }

  /// Where, in q and p, the step begins that is being made.
  const PhasePoint<T>& beginning() const { return *beginning_; }

  /// What a field that was not found makes of a step: the reason is that of the first lane in which it was not. Lanes
  /// in which it was go on.
  void note_failure(StepReport<T>& report, const Mask<T>& found);

  /// x + low <- x + low + increment, compensated, in those lanes.
  static void add_increment(const Mask<T>& where, std::span<const T> increment, std::vector<T>& x,
                            std::vector<T>& low) {
    if (all(where)) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = add_compensated(x[k], increment[k], low[k]);
      return;
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      T rest = low[k];
      const T sum = add_compensated(x[k], increment[k], rest);
      x[k] = select(where, sum, x[k]);
      low[k] = select(where, rest, low[k]);
    }
  }

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
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) final;
  [[nodiscard]] StepReport<T> step_elsewhere(const Point<T>& z, LaneOf<T> h, Point<T>& end);
  [[nodiscard]] StepReport<T> try_elsewhere(const Point<T>& z, LaneOf<T> h, bool is_old, Point<T>& end);
  void renew(const Mask<T>& where, Point<T>& end);

  std::unique_ptr<Formulation<T>> formulation_;
  PhasePoint<T> x_;
  OwnVariables<T> renewed_;
  OwnVariables<T> first_;  // their chart is the one that a step, or one that it is a part of, was to begin in
  bool is_held_ = false;
  const PhasePoint<T>* beginning_ = nullptr;
};

COTANGENT_DECLARE(NUMBERS, FieldIntegrator);

}  // namespace cotangent
