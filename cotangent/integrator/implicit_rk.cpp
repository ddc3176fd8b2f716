#include "cotangent/integrator/implicit_rk.hpp"

#include <utility>

namespace cotangent {
namespace {

// Functional iteration shrinks by a factor that may be near one, and what rounding leaves of the change of the stages
// depends on the condition of everything in f: it has converged when changes no longer become smaller, be it slowly.
// Where p is nearly zero, every second iterate changes q only.
constexpr RoundingStopOptions kStop{
    .max_iterations = 300, .near = 1e5, .max_stalls = 10, .shrink = 0.9, .pairs = true, .patience = 3};

}  // namespace

template <class T>
ImplicitRungeKutta<T>::ImplicitRungeKutta(MethodFacts facts, const ImplicitTableau& tableau,
                                          std::unique_ptr<Formulation<T>> formulation)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)) {
  const auto rounded = [](const std::vector<Quad>& from) {
    std::vector<Number> to;
    for (const Quad x : from) to.push_back(static_cast<Number>(x));
    return to;
  };
  for (const auto& row : tableau.a) a_.push_back(rounded(row));
  b_ = rounded(tableau.b);
  c_ = rounded(tableau.c);
}

template <class T>
void ImplicitRungeKutta<T>::prepare(const PhasePoint<T>& z) {
  for (const auto& [part, x] : {std::pair{&parts_[0], &z.q}, {&parts_[1], &z.p}, {&parts_[2], &z.s}}) {
    if (part->x.size() != x->size() || part->Z.size() != b_.size()) {
      part->x.assign(x->size(), T(0));
      part->rate = part->x;
      part->Z.assign(b_.size(), part->x);
      part->rates = part->Z;
    }
    for (auto& Z : part->Z) std::fill(Z.begin(), Z.end(), T(0));
    part->size = T(0);
    for (const T& entry : *x) part->size = max(part->size, magnitude(entry));
  }
}

// f at all stages. Lanes that have converged keep what they had.
template <class T>
void ImplicitRungeKutta<T>::evaluate(const PhasePoint<T>& z, Number h, const Mask<T>& active, StepReport<T>& report) {
  auto& [q, p, s] = parts_;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    for (const auto& [part, x] : {std::pair{&q, &z.q}, {&p, &z.p}, {&s, &z.s}})
      for (std::size_t k = 0; k < x->size(); ++k) part->x[k] = (*x)[k] + part->Z[i][k];
    const Mask<T> found = this->formulation().field({q.x.data(), p.x.data(), s.x.data(), T(z.t + h * c_[i])},
                                                    q.rate.data(), p.rate.data(), s.rate.data());
    this->note_failure(report, found | !active);
    for (Part& part : parts_)
      for (std::size_t k = 0; k < part.x.size(); ++k) part.rates[i][k] = select(active, part.rate[k], part.rates[i][k]);
  }
  report.evaluations += static_cast<std::int64_t>(b_.size());
}

// Z_i <- h sum_j a_ij f_j. By how much they changed, relative to the size of q, of p and of s.
template <class T>
T ImplicitRungeKutta<T>::improve(Number h, const RoundingStop<T>& stop) {
  T worst(0);
  for (Part& part : parts_) {
    T change(0), size = part.size;
    for (std::size_t i = 0; i < b_.size(); ++i) {
      for (std::size_t k = 0; k < part.x.size(); ++k) {
        T next(0);
        for (std::size_t j = 0; j < b_.size(); ++j) next += T(a_[i][j]) * part.rates[j][k];
        next = T(h) * next;
        const T moved = magnitude(next - part.Z[i][k]);
        change = max(change, select(isfinite(moved), moved, T(infinity<T>())));
        size = max(size, select(isfinite(next), magnitude(next), T(0)));
        part.Z[i][k] = select(stop.active(), next, part.Z[i][k]);
      }
    }
    worst = max(worst, select(size > T(0), change / max(size, T(std::numeric_limits<double>::min())), change));
  }
  return worst;
}

template <class T>
StepReport<T> ImplicitRungeKutta<T>::step_variables(PhasePoint<T>& z, Number h) {
  prepare(z);
  StepReport<T> report;
  RoundingStop<T> stop(kStop);
  while (true) {
    evaluate(z, h, stop.active(), report);
    if (!any(report.ok)) return report;
    if (!stop.fail(!report.ok)) break;
    const T change = improve(h, stop);
    report.tolerance = T(epsilon<T>());
    if (!stop.update(change, report.tolerance)) break;
  }
  report.iterations = stop.iterations();
  report.residual = stop.residual();
  if (any(report.ok & !stop.converged())) {
    report.status = all(isfinite(stop.residual())) ? StepStatus::stage_solve_failed : StepStatus::not_finite;
    report.ok = report.ok & stop.converged();
    if (!any(report.ok)) return report;
  }

  const auto add = [&](std::vector<T>& x, std::vector<T>& low, const Part& part) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      T increment(0);
      for (std::size_t i = 0; i < b_.size(); ++i) increment += T(b_[i]) * part.rates[i][k];
      T rest = low[k];
      const T sum = add_compensated(x[k], T(h) * increment, rest);
      x[k] = select(report.ok, sum, x[k]);
      low[k] = select(report.ok, rest, low[k]);
    }
  };
  add(z.q, z.q_low, parts_[0]);
  add(z.p, z.p_low, parts_[1]);
  add(z.s, z.s_low, parts_[2]);
  z.advance_time(h);
  return report;
}

template class ImplicitRungeKutta<double>;
template class ImplicitRungeKutta<long double>;
template class ImplicitRungeKutta<Quad>;
template class ImplicitRungeKutta<Tangents>;
template class ImplicitRungeKutta<Lanes>;

}  // namespace cotangent
