#pragma once

#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/chart.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"

namespace cotangent {

/// The facts that remain if charts are not chosen by the middle of the step. One that is new at every step, and not
/// from a finite set, belongs to the map: canonical variables do not help then.
inline FormulationFacts with_charts(FormulationFacts facts, const FormulationOptions& options) {
  const bool is_constant = options.chart == ChartKind::partition || options.chart_update != ChartUpdate::every_step;
  facts.hamiltonian = facts.hamiltonian && is_constant;
  facts.reversible = options.chart_update == ChartUpdate::midpoint;
  return facts;
}

/// What formulations in charts have in common: the chart of a step, and q = phi(delta, t) in it.
///
/// The discrete map of a step depends on its chart, and each chart has a modified Hamiltonian of its own. Where charts
/// are chosen at the beginning of steps, jumps between these add up over a long run. Here the chart is that of the
/// region in which the middle (q_0 + q_1)/2 of the step lies: a function of the two ends that is symmetric, and locally
/// constant. Since the end is not known before the step is made, a step that turns out to have been made in another
/// chart is made again. Where several charts find each other right in turn, the one with the smallest key is taken, in
/// both directions of time; and so it is where several find themselves right, which is looked for if the end is in
/// another region. A step that fails in one chart is tried in those of the regions ahead; that finds the right one
/// where the motion leaves the chart it began in, and is no other choice: what counts is the middle still. If the chart
/// of the middle itself has failed the step fails. Two worse ways are there for comparison, see ChartUpdate.
template <class T>
class ChartedField : public PhaseSpaceField<T> {
 public:
  std::int64_t size() const override { return chart_ ? chart_->size() : this->manifold_.system().n(); }
  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override;
  [[nodiscard]] bool is_right_chart(const PhasePoint<T>& begin, const PhasePoint<T>& end) override;
  void hold_chart(bool is_held) override { is_held_ = is_held; }
  [[nodiscard]] bool choose_another_chart(const PhasePoint<T>& z, LaneOf<T> h) override;
  bool owns(const OwnVariables<T>& own) const override {
    return own.chart == chart_->key() && Formulation<T>::owns(own);
  }
  void sign(OwnVariables<T>& own) const override {
    Formulation<T>::sign(own);
    own.chart = chart_->key();
    own.quality = first_quality_;
  }

 protected:
  ChartedField(FormulationFacts facts, Manifold<T>& manifold, const FormulationOptions& options);

  Chart<T>& chart() { return *chart_; }

  void resize(OwnVariables<T>& own) const {
    for (auto* half : {&own.q, &own.p, &own.q_low, &own.p_low}) half->resize(static_cast<std::size_t>(size()));
  }

  /// q_ = phi(delta, t) by Newton's method from a point nearby, and the factors of [A; G] there.
  [[nodiscard]] bool find_position(const T* delta, const T& t, const T* guess);

  /// Where steps begin: from there q is found.
  const std::vector<T>& start() const { return start_; }

  std::vector<T> q_, zero_rows_;

 private:
  using ChartPointer = std::shared_ptr<Chart<T>>;
  struct Try {
    ChartPointer chart, wanted;  ///< the one that it found right; none if the step failed
  };

  const Try* find(const Chart<T>& chart) const;
  const Try* right_one() const;
  bool try_chart(ChartPointer chart);
  bool is_last_choice();
  T to_middle(const PhasePoint<T>& begin, const PhasePoint<T>& end);
  void measure(const T* q, const T& t) { first_quality_ = chart_->factor(q, t) ? quality() : 0; }
  double quality();

  ChartUpdate update_;
  std::unique_ptr<Atlas<T>> atlas_;
  ChartPointer chart_;
  double first_quality_ = 1;  // of the chart where it was chosen, for hysteresis
  std::vector<T> start_, middle_, delta_, rows_, step_, probe_;
  std::vector<Try> tries_;  // of a step
  bool is_settled_ = false, is_held_ = false;
};

COTANGENT_DECLARE(TRAJECTORIES, ChartedField);

}  // namespace cotangent
