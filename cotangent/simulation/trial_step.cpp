#include "cotangent/simulation/trial_step.hpp"

#include <vector>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
TrialStep<T>::TrialStep(Integrator<T>& integrator, const Tolerance& tolerance, bool doubles)
    : integrator_(integrator),
      norm_(tolerance),
      doubles_(doubles),
      error_order_(doubles ? integrator.facts().order + 1 : integrator.facts().error_order),
      richardson_(static_cast<T>((std::int64_t{1} << integrator.facts().order) - 1)) {
  if (!doubles) integrator.tolerate(tolerance);
}

template <class T>
StepReport<T> TrialStep<T>::operator()(PhasePoint<T>& z, T h) {
  if (!doubles_) return integrator_.step(z, h);
  begin_ = z;
  whole_ = z;
  StepReport<T> total;
  const auto go = [&](PhasePoint<T>& point, const T& length) {
    const std::int64_t iterations = total.iterations, evaluations = total.evaluations, charts = total.charts;
    total = integrator_.step(point, length);
    total.iterations += iterations;
    total.evaluations += evaluations;
    total.charts += charts;
    return total.status == StepStatus::ok;
  };
  if (!go(whole_, h)) return total;
  const T half = h / T(2);
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

COTANGENT_INSTANTIATE(PRECISIONS, TrialStep);

}  // namespace cotangent
