#include "cotangent/integrator/runge_kutta/doubled.hpp"

#include <utility>

namespace cotangent {
namespace {

MethodFacts doubled_facts(MethodFacts facts) {
  facts.error_order = facts.order + 1;
  facts.symmetric = false;
  return facts;
}

}  // namespace

template <class T>
StepDoubling<T>::StepDoubling(Integrator<T>& method, const Tolerance& tolerance)
    : method_(method), norm_(tolerance), left_(parts_.error_left(method.facts().order)) {}

template <class T>
StepReport<T> StepDoubling<T>::operator()(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> total;
  const auto go = [&](const Point<T>& from, LaneOf<T> length, Point<T>& to) {
    const StepReport<T> before = total;
    total = method_.step(from, length, to);
    add_work(before, total);
    return total.status == StepStatus::ok;
  };
  const LaneOf<T> first = parts_.length(0, h, LaneOf<T>(0)), second = parts_.length(1, h, first);
  if (!go(z, first, middle_) || !go(middle_, second, end)) return total;
  // To the time at which they end.
  if (LaneOf<T> whole = method_.facts().moves_time ? end->t - z->t : h; !go(z, whole, whole_)) {
    return total;
  } else if (method_.facts().moves_time) {
    const StepReport<T> landed = land(z, end->t, whole, whole_, [&](LaneOf<T> length) {
      static_cast<void>(go(z, length, whole_));
      return total;
    });
    if (landed.status != StepStatus::ok) return landed;
  }
  const T richardson(static_cast<LaneOf<T>>(left_ / (1 - left_)));
  std::size_t kind = 0;
  total.error = T(0);
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s}) {
    const std::vector<T>&once = whole_.state().*part, &before = z.state().*part, &after = end.state().*part;
    difference_.resize(once.size());
    for (std::size_t j = 0; j < once.size(); ++j) difference_[j] = (after[j] - once[j]) * richardson;
    total.error = max(total.error, norm_(kind++, difference_, before, after));
  }
  return total;
}

template <class T>
Doubled<T>::Doubled(std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(doubled_facts(method->facts())), method_(std::move(method)) {}

template <class T>
StepReport<T> Doubled<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (estimate_) return (*estimate_)(z, h, end);
  const LaneOf<T> part = parts_.length(0, h, LaneOf<T>(0));
  end = z;
  const StepReport<T> first = method_->step(end, part);
  if (first.status != StepStatus::ok) return first;
  StepReport<T> report = method_->step(end, parts_.length(1, h, part));
  add_work(first, report);
  return report;
}

template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method) {
  if (method->facts().error_order > 0) return method;
  return std::make_unique<Doubled<T>>(std::move(method));
}

COTANGENT_INSTANTIATE(TRAJECTORIES, StepDoubling);
COTANGENT_INSTANTIATE(TRAJECTORIES, Doubled);

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>>);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
