#include "cotangent/integrator/field_integrator.hpp"

#include <limits>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

template <class T>
StepReport<T> FieldIntegrator<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  beginning_ = &z.state();
  formulation_->set_step(h);
  if (!formulation_->is_physical()) return step_elsewhere(z, h, end);
  formulation_->begin_step(z, z.own());
  end.adjust() = z;
  return step_variables(end.adjust(), h, z.memory(this->id()), end.remember(this->id()));
}

// From z to the variables and to q and p of the end, with the variables that z has or with those of its q and p.
template <class T>
StepReport<T> FieldIntegrator<T>::try_elsewhere(const Point<T>& z, LaneOf<T> h, bool is_old, Point<T>& end) {
  OwnVariables<T>& own = end.own();
  Memory<T>& memory = end.remember(this->id());
  memory.depth = 0;
  StepReport<T> entered;
  if (z.own().owner == formulation_->id()) {
    own = z.own();
  } else {
    own.q.clear();
    own.chart.clear();
    own.steps = 0;
  }
  if (!is_old) {
    // What is in own.q is a guess.
    note_failure(entered, formulation_->enter(z, own));
    if (!any(entered.ok)) return entered;
  }
  x_.q = own.q;
  x_.p = own.p;
  x_.q_low = own.q_low;
  x_.p_low = own.p_low;
  x_.s = z->s;
  x_.s_low = z->s_low;
  x_.t = z->t;
  x_.t_low = z->t_low;
  // In other variables there is nothing to be continued.
  StepReport<T> report = step_variables(x_, h, is_old ? z.memory(this->id()) : Point<T>::nothing(), memory);
  report.ok = report.ok & entered.ok;
  if (entered.status != StepStatus::ok) {
    report.status = entered.status;
    report.row = entered.row;
  }
  if (!any(report.ok)) return report;

  std::swap(own.q, x_.q);
  std::swap(own.p, x_.p);
  std::swap(own.q_low, x_.q_low);
  std::swap(own.p_low, x_.p_low);
  PhasePoint<T>& physical = end.adjust();
  physical = z;
  physical.t = x_.t;
  physical.t_low = x_.t_low;
  note_failure(report, formulation_->leave(own, physical));
  return report;
}

template <class T>
StepReport<T> FieldIntegrator<T>::step_elsewhere(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  formulation_->begin_step(z, z.own());
  if (!is_held_) formulation_->sign(first_);
  bool is_old = formulation_->owns(z.own());
  StepReport<T> report = step_in_right_chart<T>([&] { return try_elsewhere(z, h, std::exchange(is_old, false), end); },
                                                [&](const StepReport<T>& made) {
                                                  return any(made.ok) ? formulation_->is_right_chart(z, end)
                                                                      : !formulation_->choose_another_chart(z, h);
                                                });
  if (!any(report.ok)) return report;

  const Mask<T>& ok = report.ok;
  PhasePoint<T>& physical = end.adjust();
  std::swap(physical.s, x_.s);
  std::swap(physical.s_low, x_.s_low);
  if (!all(ok)) take_lanes(!ok, z.state(), physical);
  OwnVariables<T>& own = end.own();
  ++own.steps;
  formulation_->sign(own);
  report.charts = (z.own().chart.empty() ? first_.chart : z.own().chart) == own.chart ? 0 : 1;
  const Mask<T> worn = (!ok) | formulation_->is_worn(own, physical);
  own.is_current = !all(worn);  // otherwise the next step enters anew
  if (any(worn) && !all(worn)) renew(worn, end);
  return report;
}

// Variables from q and p in some lanes, while the others go on with theirs. Where none are found they are no numbers.
template <class T>
void FieldIntegrator<T>::renew(const Mask<T>& where, Point<T>& end) {
  forget(where, end.remember(this->id()));
  OwnVariables<T>& own = end.own();
  renewed_.q = own.q;
  const Mask<T> found = formulation_->enter(end, renewed_);
  const T none(std::numeric_limits<double>::quiet_NaN());
  for (const auto& [from, to] : {std::pair{&renewed_.q, &own.q},
                                 {&renewed_.p, &own.p},
                                 {&renewed_.q_low, &own.q_low},
                                 {&renewed_.p_low, &own.p_low}})
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
    report.status = failure.status;
    report.row = failure.row;
  }
  report.ok = report.ok & found;
}

COTANGENT_INSTANTIATE(NUMBERS, FieldIntegrator);

}  // namespace cotangent
