#include "cotangent/integrator/discrete_gradient.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/stage_failure.hpp"

namespace cotangent {

template <class T>
MethodFacts DiscreteGradient<T>::sheet() {
  return {.name = "gonzalez",
          .kind = MethodKind::energy_keeping,
          .description = "Gonzalez' midpoint discrete gradient",
          .order = 2,
          .symmetric = true,
          .keeps_energy = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = {"state-space", "standard"},
          .applies_to = "systems whose H is conserved",
          .reference = "gonzalez96"};
}

template <class T>
DiscreteGradient<T>::DiscreteGradient(Manifold<T>& manifold, std::unique_ptr<Formulation<T>> formulation,
                                      FixedPointSolver solver)
    : FieldIntegrator<T>(sheet(), std::move(formulation)),
      system_(manifold.system()),
      inside_H_(manifold.system(), Contraction::Of::H),
      solver_kind_(solver),
      v_(static_cast<std::size_t>(manifold.system().n()), T(0)),
      physical_(manifold.system().n()) {
  if (!this->formulation().facts().hamiltonian && manifold.system().m() > 0)
    throw std::invalid_argument(
        "the method 'gonzalez' takes the formulation 'standard' without constraints only; use 'state-space'");
  if (manifold.system().state_count() > 0)
    throw std::invalid_argument(
        "the method 'gonzalez' keeps H, but here forces, states or the time change it; use 'gauss:2' or 'rattle'");
}

// K at x, in the variables of the formulation.
template <class T>
Mask<T> DiscreteGradient<T>::energy(const T* x, T& K) {
  Mask<T> found(true);
  q_ = x;
  p_ = x + n_;
  if (!this->formulation().is_physical()) {
    std::copy_n(x, n_, own_.q.begin());
    std::copy_n(x + n_, n_, own_.p.begin());
    found = this->formulation().leave(own_, physical_);
    q_ = physical_.q.data();
    p_ = physical_.p.data();
  }
  K = system_.at(q_, p_).H();
  return found;
}

// Of constants inside H, as in 1 - cos a; where energy() has been.
template <class T>
T DiscreteGradient<T>::error_inside_energy() {
  T error(0);
  if (inside_H_.vanish()) return error;
  const At<T> at = system_.at(q_, p_);
  at.H_p(v_);
  inside_H_.add_to(at.with(v_), &error);
  return error;
}

template <class T>
StepReport<T> DiscreteGradient<T>::step_variables(PhasePoint<T>& x, LaneOf<T> h, const Memory<T>& before,
                                                  Memory<T>& after) {
  if (!solver_ || n_ != x.q.size()) {
    n_ = x.q.size();
    solver_ = std::make_unique<FixedPoint<T>>(2 * n_, solver_kind_);
    point_.assign(2 * n_, T(0));
    rate_ = point_;
    own_.q.assign(n_, T(0));
    own_.p = own_.q_low = own_.p_low = own_.q;
  }
  physical_.q = this->beginning().q;
  physical_.t = x.t;
  const auto begin = [&](std::size_t k) { return k < n_ ? x.q[k] : x.p[k - n_]; };
  T K_begin(0);
  for (std::size_t k = 0; k < 2 * n_; ++k) point_[k] = begin(k);
  StepReport<T> report;
  this->note_failure(report, energy(point_.data(), K_begin));
  if (!any(report.ok)) return report;
  const T inside = error_inside_energy();

  std::vector<T>& D = solver_->x();
  Mask<T> found(true);
  // D of the step before is a guess.
  const bool is_known = before.depth > 0 && before.numbers[0].size() == D.size();
  const Mask<T> has_history = is_known ? before.numbers[1][0] > T(0) : Mask<T>(false);
  if (is_known) D = before.numbers[0];
  solver_->damped() = is_known ? before.numbers[1][1] : T(0);
  if (!all(has_history)) {
    found = this->formulation().field({point_.data(), point_.data() + n_, nullptr, T(x.t)}, rate_.data(),
                                      rate_.data() + n_, nullptr);
    for (std::size_t k = 0; k < 2 * n_; ++k) D[k] = select(has_history, D[k], select(found, T(h) * rate_[k], T(0)));
    ++report.evaluations;
  }
  const auto evaluate = [&](const T* d, T* r, const Mask<T>& active, bool is_probe) {
    for (std::size_t k = 0; k < 2 * n_; ++k) point_[k] = begin(k) + d[k];
    T K_end(0);
    Mask<T> here = energy(point_.data(), K_end);
    for (std::size_t k = 0; k < 2 * n_; ++k) point_[k] = begin(k) + T(0.5) * d[k];
    here = here & this->formulation().field({point_.data(), point_.data() + n_, nullptr, T(x.t)}, rate_.data(),
                                            rate_.data() + n_, nullptr);
    // K'(m) = (-p', q').
    T along(0), of_q(0), of_p(0);
    for (std::size_t k = 0; k < n_; ++k) {
      along += rate_[k] * d[k + n_] - rate_[k + n_] * d[k];
      of_q += d[k] * d[k];
      of_p += d[k + n_] * d[k + n_];
    }
    const T length = of_q + of_p;
    // What is only rounding error of K must not be divided by a small |D|^2.
    const T defect = K_end - K_begin - along;
    const T noise = abs(K_end) + abs(K_begin) + abs(along) + T(0.25) * inside;
    const Mask<T> counts = abs(defect) > T(4) * T(epsilon<T>()) * noise;
    const T c = select(counts, defect / select(counts, length, T(1)), T(0));
    for (std::size_t k = 0; k < n_; ++k) {
      r[k] = d[k] - T(h) * (rate_[k] + c * d[k + n_]);
      r[k + n_] = d[k + n_] - T(h) * (rate_[k + n_] - c * d[k]);
    }
    if (is_probe) return here;
    // K is rounded, c with it, and D with c: where K is a small difference by more than one unit of what is largest. A
    // quarter of that is about what is left.
    const T c_noise = select(counts, abs(T(h)) * T(0.25) * noise / select(counts, length, T(1)), T(0));
    for (const std::size_t half : {std::size_t(0), n_}) {
      T most = c_noise * sqrt(half == 0 ? of_p : of_q);
      for (std::size_t k = half; k < half + n_; ++k)
        most = max(most, max(magnitude(begin(k)), select(isfinite(d[k]), magnitude(d[k]), T(0))));
      const T weight = select(most > T(0), T(1) / max(most, T(std::numeric_limits<double>::min())), T(1));
      for (std::size_t k = half; k < half + n_; ++k) solver_->weights()[k] = weight;
    }
    found = (found & !active) | (here & active);
    return here;
  };
  const auto result = solver_->solve(evaluate, report.ok);
  report.iterations = result.iterations;
  report.evaluations += result.evaluations;
  report.residual = result.residual;
  report.tolerance = T(epsilon<T>());
  this->note_failure(report, found | result.converged);
  if (any(report.ok & !result.converged)) {
    report.status = all(isfinite(result.residual)) ? stage_failure(solver_kind_) : StepStatus::not_finite;
    report.ok = report.ok & result.converged;
  }
  if (!any(report.ok)) return report;

  Mask<T> finite(true);
  for (const T& d : D) finite = finite & isfinite(d);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
    if (!any(report.ok)) return report;
  }
  for (std::size_t k = 0; k < 2 * n_; ++k) {
    T& component = k < n_ ? x.q[k] : x.p[k - n_];
    T& low = k < n_ ? x.q_low[k] : x.p_low[k - n_];
    T rest = low;
    const T sum = add_compensated(component, D[k], rest);
    component = select(report.ok, sum, component);
    low = select(report.ok, rest, low);
  }
  x.advance_time(h);
  after.lay_out({D.size(), 2});
  after.numbers[0] = D;
  after.numbers[1][0] = select(report.ok, T(1), T(0));
  after.numbers[1][1] = solver_->damped();
  after.depth = 1;
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, DiscreteGradient);

}  // namespace cotangent
