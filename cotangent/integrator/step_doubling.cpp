#include "cotangent/integrator/step_doubling.hpp"

#include <vector>

namespace cotangent {

template <class T>
StepDoubling<T>::StepDoubling(Integrator<T>& method, const Tolerance& tolerance)
    : method_(method),
      norm_(tolerance),
      richardson_(static_cast<LaneOf<T>>((std::int64_t{1} << method.facts().order) - 1)) {}

template <class T>
StepReport<T> StepDoubling<T>::operator()(PhasePoint<T>& z, LaneOf<T> h) {
  begin_ = z;
  whole_ = z;
  StepReport<T> total;
  const auto go = [&](PhasePoint<T>& point, LaneOf<T> length) {
    const std::int64_t iterations = total.iterations, evaluations = total.evaluations, charts = total.charts;
    total = method_.step(point, length);
    total.iterations += iterations;
    total.evaluations += evaluations;
    total.charts += charts;
    return total.status == StepStatus::ok;
  };
  if (!go(whole_, h)) return total;
  const LaneOf<T> half = h / LaneOf<T>(2);
  if (!go(z, half) || !go(z, half)) {
    z = begin_;
    return total;
  }
  const auto error = [&](std::vector<T>& x, const std::vector<T>& before, const std::vector<T>& after) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (after[j] - x[j]) / richardson_;
    return &x == &whole_.s ? norm_.of_states(x, before, after) : norm_(x, before, after);
  };
  total.error = max(error(whole_.q, begin_.q, z.q), error(whole_.p, begin_.p, z.p));
  total.error = max(total.error, error(whole_.s, begin_.s, z.s));
  return total;
}

COTANGENT_INSTANTIATE(TRAJECTORIES, StepDoubling);

}  // namespace cotangent
