#include "cotangent/integrator/explicit_rk.hpp"

#include <utility>

namespace cotangent {

MethodFacts rk4_facts() {
  return {.name = "rk4",
          .kind = "explicit Runge-Kutta",
          .description = "the classical explicit Runge-Kutta method",
          .order = 4,
          .symmetric = false,
          .symplectic = false,
          .keeps_position = false,
          .keeps_momentum = false,
          .formulations = field_formulations("standard"),
          .applies_to = "every system whose H_pp is positive definite across the constraints",
          .reference = "kutta1901"};
}

ExplicitTableau rk4_tableau() {
  const Quad one = 1;
  return {.a = {{}, {one / 2}, {0, one / 2}, {0, 0, one}}, .b = {one / 6, one / 3, one / 3, one / 6}};
}

template <class T>
ExplicitRungeKutta<T>::ExplicitRungeKutta(MethodFacts facts, ExplicitTableau tableau,
                                          std::unique_ptr<Formulation<T>> formulation)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)), tableau_(std::move(tableau)) {}

template <class T>
StepReport<T> ExplicitRungeKutta<T>::step_variables(PhasePoint<T>& z, LaneOf<T> h) {
  const std::size_t stages = tableau_.b.size();
  if (parts_[0].x.size() != z.q.size() || parts_[2].x.size() != z.s.size()) {
    for (const auto& [part, x] : {std::pair{&parts_[0], &z.q}, {&parts_[1], &z.p}, {&parts_[2], &z.s}}) {
      part->x.assign(x->size(), T(0));
      part->rates.assign(stages, part->x);
    }
  }
  auto& [q, p, s] = parts_;
  StepReport<T> report;
  report.evaluations = static_cast<std::int64_t>(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    q.x = z.q;
    p.x = z.p;
    s.x = z.s;
    Quad c = 0;
    for (std::size_t j = 0; j < i; ++j) {
      c += tableau_.a[i][j];
      if (tableau_.a[i][j] == 0) continue;
      const T ha(h * static_cast<LaneOf<T>>(tableau_.a[i][j]));
      for (Part& part : parts_)
        for (std::size_t k = 0; k < part.x.size(); ++k) part.x[k] += ha * part.rates[j][k];
    }
    const T t(z.t + h * static_cast<LaneOf<T>>(c));
    this->note_failure(report, this->formulation().field({q.x.data(), p.x.data(), s.x.data(), t}, q.rates[i].data(),
                                                         p.rates[i].data(), s.rates[i].data()));
    if (!any(report.ok)) return report;
  }
  // The increments, kept in the first stage's place.
  Mask<T> finite(true);
  for (Part& part : parts_) {
    for (std::size_t k = 0; k < part.x.size(); ++k) {
      T increment(0);
      for (std::size_t i = 0; i < stages; ++i)
        increment += T(h * static_cast<LaneOf<T>>(tableau_.b[i])) * part.rates[i][k];
      part.rates[0][k] = increment;
      finite = finite & isfinite(increment);
    }
  }
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
  if (!any(report.ok)) return report;

  const auto add = [&](std::vector<T>& x, const Part& part, std::vector<T>& low) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      T rest = low[k];
      const T sum = add_compensated(x[k], part.rates[0][k], rest);
      x[k] = select(report.ok, sum, x[k]);
      low[k] = select(report.ok, rest, low[k]);
    }
  };
  add(z.q, q, z.q_low);
  add(z.p, p, z.p_low);
  add(z.s, s, z.s_low);
  z.advance_time(h);
  return report;
}

template class ExplicitRungeKutta<double>;
template class ExplicitRungeKutta<long double>;
template class ExplicitRungeKutta<Quad>;
template class ExplicitRungeKutta<Tangents>;
template class ExplicitRungeKutta<Lanes>;

}  // namespace cotangent
