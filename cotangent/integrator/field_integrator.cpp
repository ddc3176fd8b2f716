#include "cotangent/integrator/field_integrator.hpp"

#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

StepStatus status_of(FieldCause cause) {
  switch (cause) {
    case FieldCause::none:
      return StepStatus::ok;
    case FieldCause::singular_constraints:
      return StepStatus::singular_constraints;
    case FieldCause::no_multipliers:
      return StepStatus::no_multipliers;
    case FieldCause::multipliers:
      return StepStatus::multiplier_solve_failed;
    case FieldCause::position:
      return StepStatus::position_solve_failed;
    case FieldCause::momentum:
      return StepStatus::momentum_solve_failed;
    case FieldCause::variables:
      return StepStatus::variables_not_found;
    case FieldCause::projection:
      return StepStatus::joint_solve_failed;
    case FieldCause::not_finite:
      return StepStatus::not_finite;
  }
  return StepStatus::ok;
}

}  // namespace

template <class T>
StepReport<T> FieldIntegrator<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  beginning_ = &z;
  formulation_->set_step(h);
  if (!formulation_->is_physical()) return step_elsewhere(z, h);
  is_continuation_ = z.revision == last_revision_;
  const StepReport<T> report = step_variables(z, h);
  if (any(report.ok)) z.revision = next_revision_();
  last_revision_ = any(report.ok) ? z.revision : 0;
  return report;
}

// From z to x_ and end_, with the variables that z has or with those of q and p.
template <class T>
StepReport<T> FieldIntegrator<T>::try_elsewhere(const PhasePoint<T>& z, LaneOf<T> h, bool is_old) {
  StepReport<T> entered;
  if (is_old) {
    x_.own = z.own;
  } else {
    // A guess, if there is one.
    if (z.own.owner == formulation_->id()) {
      x_.own.q = z.own.q;
      x_.own.steps = z.own.steps;
    } else {
      x_.own.q.clear();
      x_.own.steps = 0;
    }
    note_failure(entered, formulation_->enter(z, x_.own));
    if (!any(entered.ok)) return entered;
  }
  x_.q = x_.own.q;
  x_.p = x_.own.p;
  x_.q_low = x_.own.q_low;
  x_.p_low = x_.own.p_low;
  x_.s = z.s;
  x_.s_low = z.s_low;
  x_.t = z.t;
  x_.t_low = z.t_low;
  is_continuation_ = is_old && z.revision == last_revision_;
  StepReport<T> report = step_variables(x_, h);
  report.ok = report.ok & entered.ok;
  if (entered.status != StepStatus::ok) {
    report.status = entered.status;
    report.row = entered.row;
  }
  if (!any(report.ok)) return report;

  std::swap(x_.own.q, x_.q);
  std::swap(x_.own.p, x_.p);
  std::swap(x_.own.q_low, x_.q_low);
  std::swap(x_.own.p_low, x_.p_low);
  end_.q = z.q;
  end_.p = z.p;
  end_.q_low = z.q_low;
  end_.p_low = z.p_low;
  end_.t = x_.t;
  note_failure(report, formulation_->leave(x_.own, end_));
  return report;
}

template <class T>
StepReport<T> FieldIntegrator<T>::step_elsewhere(PhasePoint<T>& z, LaneOf<T> h) {
  const std::int64_t charts = formulation_->chart_changes();
  formulation_->begin_step(z);
  StepReport<T> report;
  std::int64_t iterations = 0, evaluations = 0;
  bool is_old = formulation_->owns(z);
  for (int attempt = 1;; ++attempt) {
    report = try_elsewhere(z, h, is_old);
    iterations += report.iterations;
    evaluations += report.evaluations;
    is_old = false;
    if (attempt == kChartAttempts) break;
    if (any(report.ok) ? formulation_->is_right_chart(z, end_) : !formulation_->choose_another_chart(z, h)) break;
  }
  report.iterations = iterations;
  report.evaluations = evaluations;
  report.charts = formulation_->chart_changes() - charts;
  last_revision_ = 0;
  if (!any(report.ok)) return report;

  const Mask<T>& ok = report.ok;
  take_lanes(ok, end_.q, z.q);
  take_lanes(ok, end_.p, z.p);
  take_lanes(ok, end_.q_low, z.q_low);
  take_lanes(ok, end_.p_low, z.p_low);
  take_lanes(ok, x_.s, z.s);
  take_lanes(ok, x_.s_low, z.s_low);
  take_lanes(ok, x_.own.q, z.own.q);
  take_lanes(ok, x_.own.p, z.own.p);
  take_lanes(ok, x_.own.q_low, z.own.q_low);
  take_lanes(ok, x_.own.p_low, z.own.p_low);
  z.t = x_.t;
  z.t_low = x_.t_low;
  z.revision = last_revision_ = next_revision_();
  z.own.steps = x_.own.steps + 1;
  z.own.owner = formulation_->id();
  const Mask<T> worn = (!ok) | formulation_->is_worn(z.own, z);
  z.own.revision = all(worn) ? 0 : z.revision;  // then the next step enters anew
  if (any(worn) && !all(worn)) renew(z, worn);
  return report;
}

// Variables from q and p in some lanes, while the others go on with theirs. Where none are found they are no numbers.
template <class T>
void FieldIntegrator<T>::renew(PhasePoint<T>& z, const Mask<T>& where) {
  forget(where);
  const Mask<T> found = formulation_->enter(z, x_.own);
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (const auto& [from, to] : {std::pair{&x_.own.q, &z.own.q},
                                 {&x_.own.p, &z.own.p},
                                 {&x_.own.q_low, &z.own.q_low},
                                 {&x_.own.p_low, &z.own.p_low}})
    for (std::size_t k = 0; k < to->size(); ++k) (*to)[k] = select(where, select(found, (*from)[k], none), (*to)[k]);
}

template <class T>
void FieldIntegrator<T>::note_failure(StepReport<T>& report, const Mask<T>& found) {
  const Mask<T> lost = report.ok & !found;
  if (!any(lost)) return;
  int first = 0;
  while (!lane(lost, first)) ++first;
  if (report.status == StepStatus::ok) {
    const FieldFailure& failure = formulation_->failure(first);
    report.status = status_of(failure.cause);
    report.row = failure.row;
  }
  report.ok = report.ok & found;
}

COTANGENT_INSTANTIATE(NUMBERS, FieldIntegrator);

}  // namespace cotangent
