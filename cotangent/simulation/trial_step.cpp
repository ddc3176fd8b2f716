#include "cotangent/simulation/trial_step.hpp"

#include "cotangent/simulation/point_error.hpp"

namespace cotangent {

template <class T>
TrialStep<T>::TrialStep(Integrator<T>& integrator, const Tolerance& tolerance, bool doubles)
    : integrator_(integrator),
      tolerance_(tolerance),
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
  total.error = point_error(begin_, z, whole_, tolerance_) / richardson_;
  return total;
}

template class TrialStep<double>;
template class TrialStep<long double>;
template class TrialStep<Quad>;

}  // namespace cotangent
