#include "cotangent/integrator/explicit_rk.hpp"

#include <utility>

namespace cotangent {

MethodFacts rk4_facts() {
  return {.name = "rk4",
          .description = "the classical explicit Runge-Kutta method",
          .order = 4,
          .symmetric = false,
          .symplectic = false,
          .keeps_position = false,
          .keeps_momentum = false,
          .formulations = {"standard"},
          .applies_to = "any H(q, p) with H_pp positive definite across the constraints",
          .reference = "kutta1901"};
}

ExplicitTableau rk4_tableau() {
  const Quad one = 1;
  return {.a = {{}, {one / 2}, {0, one / 2}, {0, 0, one}}, .b = {one / 6, one / 3, one / 3, one / 6}};
}

template <class T>
ExplicitRungeKutta<T>::ExplicitRungeKutta(MethodFacts facts, ExplicitTableau tableau,
                                          std::unique_ptr<Formulation<T>> formulation)
    : Integrator<T>(std::move(facts)), tableau_(std::move(tableau)), formulation_(std::move(formulation)) {}

template <class T>
StepReport<T> ExplicitRungeKutta<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  const std::size_t stages = tableau_.b.size(), n = z.q.size();
  if (q_.size() != n) {
    q_.assign(n, T(0));
    p_ = q_;
    q_dot_.assign(stages, q_);
    p_dot_ = q_dot_;
  }
  StepReport<T> report;
  report.evaluations = static_cast<std::int64_t>(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    q_ = z.q;
    p_ = z.p;
    for (std::size_t j = 0; j < i; ++j) {
      if (tableau_.a[i][j] == 0) continue;
      const T ha(h * static_cast<LaneOf<T>>(tableau_.a[i][j]));
      for (std::size_t c = 0; c < n; ++c) {
        q_[c] += ha * q_dot_[j][c];
        p_[c] += ha * p_dot_[j][c];
      }
    }
    const Mask<T> regular = formulation_->field(q_.data(), p_.data(), q_dot_[i].data(), p_dot_[i].data());
    if (any(report.ok & !regular)) {
      report.status = StepStatus::singular_constraints;
      report.ok = report.ok & regular;
      if (report.row < 0) report.row = formulation_->singular_row();
      if (!any(report.ok)) return report;
    }
  }
  // The increments, kept in the first stage's place.
  Mask<T> finite(true);
  for (std::size_t c = 0; c < n; ++c) {
    T dq(0), dp(0);
    for (std::size_t i = 0; i < stages; ++i) {
      const T hb(h * static_cast<LaneOf<T>>(tableau_.b[i]));
      dq += hb * q_dot_[i][c];
      dp += hb * p_dot_[i][c];
    }
    q_dot_[0][c] = dq;
    p_dot_[0][c] = dp;
    finite = finite & isfinite(dq) & isfinite(dp);
  }
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
  if (!any(report.ok)) return report;

  const auto add = [&](T& x, const T& increment, T& low) {
    T rest = low;
    const T sum = add_compensated(x, increment, rest);
    x = select(report.ok, sum, x);
    low = select(report.ok, rest, low);
  };
  for (std::size_t c = 0; c < n; ++c) {
    add(z.q[c], q_dot_[0][c], z.q_low[c]);
    add(z.p[c], p_dot_[0][c], z.p_low[c]);
  }
  z.t += h;
  z.revision = next_revision_();
  return report;
}

template class ExplicitRungeKutta<double>;
template class ExplicitRungeKutta<long double>;
template class ExplicitRungeKutta<Quad>;
template class ExplicitRungeKutta<Lanes>;

}  // namespace cotangent
