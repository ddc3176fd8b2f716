#include "cotangent/integrator/step_doubling.hpp"

namespace cotangent {

template <class T>
StepDoubling<T>::StepDoubling(Integrator<T>& method, const Tolerance& tolerance)
    : method_(method),
      norm_(tolerance),
      richardson_(static_cast<LaneOf<T>>((std::int64_t{1} << method.facts().order) - 1)) {}

template <class T>
StepReport<T> StepDoubling<T>::operator()(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> total;
  const auto go = [&](const Point<T>& from, LaneOf<T> length, Point<T>& to) {
    const std::int64_t iterations = total.iterations, evaluations = total.evaluations, charts = total.charts;
    total = method_.step(from, length, to);
    total.iterations += iterations;
    total.evaluations += evaluations;
    total.charts += charts;
    return total.status == StepStatus::ok;
  };
  const LaneOf<T> half = h / LaneOf<T>(2);
  if (!go(z, h, whole_) || !go(z, half, middle_) || !go(middle_, half, end)) return total;
  std::size_t kind = 0;
  total.error = T(0);
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s}) {
    const std::vector<T>&once = whole_.state().*part, &before = z.state().*part, &after = end.state().*part;
    difference_.resize(once.size());
    for (std::size_t j = 0; j < once.size(); ++j) difference_[j] = (after[j] - once[j]) / richardson_;
    total.error = max(total.error, norm_(kind++, difference_, before, after));
  }
  return total;
}

COTANGENT_INSTANTIATE(TRAJECTORIES, StepDoubling);

}  // namespace cotangent
