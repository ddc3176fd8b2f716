#include "cotangent/integrator/explicit_rk.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
typename ExplicitRungeKutta<T>::Terms ExplicitRungeKutta<T>::terms(const std::vector<Quad>& weights) {
  Terms result;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0) result.push_back({i, static_cast<Number>(weights[i])});
  return result;
}

template <class T>
ExplicitRungeKutta<T>::ExplicitRungeKutta(MethodFacts facts, const ExplicitTableau& tableau,
                                          std::unique_ptr<Formulation<T>> formulation)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)),
      b_(terms(tableau.b)),
      error_(terms(tableau.error)),
      coarse_error_(terms(tableau.coarse_error)) {
  for (const auto& row : tableau.a) {
    a_.push_back(terms(row));
    c_.push_back(static_cast<Number>(std::accumulate(row.begin(), row.end(), Quad(0))));
  }
}

template <class T>
void ExplicitRungeKutta<T>::tolerate(const Tolerance& tolerance) {
  is_estimating_ = !error_.empty();
  norm_ = ErrorNorm<T>(tolerance);
}

template <class T>
void ExplicitRungeKutta<T>::prepare(const PhasePoint<T>& z) {
  for (const auto& [part, x] : {std::pair{&parts_[0], &z.q}, {&parts_[1], &z.p}, {&parts_[2], &z.s}}) {
    if (part->x.size() == x->size() && part->rates.size() == a_.size()) continue;
    part->x.assign(x->size(), T(0));
    part->rates.assign(a_.size(), part->x);
    part->increment = part->end = part->error = part->coarse_error = part->x;
  }
}

// sum <- h sum_i w_i k_i
template <class T>
void ExplicitRungeKutta<T>::combine(Number h, const Terms& terms, const Part& part, std::vector<T>& sum) const {
  std::fill(sum.begin(), sum.end(), T(0));
  for (const auto& [stage, weight] : terms) {
    const T hw(h * weight);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += hw * part.rates[stage][k];
  }
}

// In units of what is tolerated, for one kind of components that begin at x.
template <class T>
T ExplicitRungeKutta<T>::estimate(Number h, const std::vector<T>& x, Part& part) const {
  for (std::size_t k = 0; k < x.size(); ++k) part.end[k] = x[k] + part.increment[k];
  combine(h, error_, part, part.error);
  const auto measure = [&](const std::vector<T>& e) {
    return &part == &parts_[2] ? norm_.of_states(e, x, part.end) : norm_(e, x, part.end);
  };
  const T error = measure(part.error);
  if (coarse_error_.empty()) return error;
  combine(h, coarse_error_, part, part.coarse_error);
  const T coarse = measure(part.coarse_error), ratio = coarse / error;
  const T combined = select(error > T(0), error / sqrt(T(1) + ratio * ratio / T(100)), T(0));
  return select(isfinite(coarse), combined, T(infinity<T>()));
}

template <class T>
StepReport<T> ExplicitRungeKutta<T>::step_variables(PhasePoint<T>& z, Number h, const Memory<T>& /*before*/,
                                                    Memory<T>& /*after*/) {
  prepare(z);
  auto& [q, p, s] = parts_;
  const std::size_t stages =
      is_estimating_ ? std::max({stages_of(b_), stages_of(error_), stages_of(coarse_error_)}) : stages_of(b_);
  StepReport<T> report;
  for (std::size_t i = 0; i < stages; ++i) {
    q.x = z.q;
    p.x = z.p;
    s.x = z.s;
    for (const auto& [stage, weight] : a_[i]) {
      const T ha(h * weight);
      for (Part& part : parts_)
        for (std::size_t k = 0; k < part.x.size(); ++k) part.x[k] += ha * part.rates[stage][k];
    }
    ++report.evaluations;
    this->note_failure(report, this->formulation().field({q.x.data(), p.x.data(), s.x.data(), T(z.t + h * c_[i])},
                                                         q.rates[i].data(), p.rates[i].data(), s.rates[i].data()));
    if (!any(report.ok)) return report;
  }
  Mask<T> finite(true);
  for (Part& part : parts_) {
    combine(h, b_, part, part.increment);
    for (const T& x : part.increment) finite = finite & isfinite(x);
  }
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
    if (!any(report.ok)) return report;
  }
  if (is_estimating_) report.error = max(max(estimate(h, z.q, q), estimate(h, z.p, p)), estimate(h, z.s, s));

  this->add_increment(report.ok, q.increment, z.q, z.q_low);
  this->add_increment(report.ok, p.increment, z.p, z.p_low);
  this->add_increment(report.ok, s.increment, z.s, z.s_low);
  z.advance_time(h);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, ExplicitRungeKutta);

}  // namespace cotangent
