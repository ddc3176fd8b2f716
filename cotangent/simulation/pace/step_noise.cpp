#include "cotangent/simulation/pace/step_noise.hpp"

#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/scattered_signs.hpp"
#include "cotangent/simulation/pace/stepper.hpp"

namespace cotangent {

template <class T>
std::array<double, 3> StepNoise<T>::operator()(const Point<T>& z, T h, Counts& counts) {
  const T distance = sqrt(epsilon<T>());
  // Without the memory of a method, which is that of z.
  PhasePoint<T>& state = beside_.begin_from(z);
  state = z.state();
  if (z.own().owner != 0) beside_.own() = z.own();
  beside_.forget();
  ScatteredSigns sign;
  for (std::vector<T>* part : {&state.q, &state.p}) {
    const T size = distance * largest_of(*part);
    for (T& x : *part) x += sign(size);
  }
  for (T& x : state.s) x += sign(T(distance * abs(x)));
  const auto is_made = [&](const Point<T>& from, Point<T>& to) {
    const StepReport<T> report = integrator_.step(from, h, to);
    add(counts, report);
    return report.status == StepStatus::ok;
  };
  if (!is_made(z, end_) || !is_made(beside_, end_beside_)) return {};

  const auto noise = [&](const std::vector<T>& here, const std::vector<T>& there) {
    T most(0);
    for (std::size_t k = 0; k < here.size(); ++k) most = max(most, abs(there[k] - here[k]));
    return isfinite(most) ? static_cast<double>(distance * most) : 0.0;
  };
  const OwnVariables<T>&own = end_.own(), &own_beside = end_beside_.own();
  const double states = noise(end_->s, end_beside_->s);
  if (own.owner == 0) return {noise(end_->q, end_beside_->q), noise(end_->p, end_beside_->p), states};
  if (own.chart != own_beside.chart) return {};
  return {noise(own.q, own_beside.q), noise(own.p, own_beside.p), states};
}

COTANGENT_INSTANTIATE(PRECISIONS, StepNoise);

}  // namespace cotangent
