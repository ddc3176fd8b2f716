#include "cotangent/integrator/runge_kutta/extrapolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/interruptible.hpp"

namespace cotangent {
namespace {

// w_j for the numbers 2 first, 2 (first + 1), ..., 2 last.
Quad weight(int j, int first, int last) {
  Quad product = 1;
  for (int i = first; i <= last; ++i)
    if (i != j) product *= static_cast<Quad>(j * j) / (j * j - i * i);
  return product;
}

}  // namespace

MethodFacts extrapolation_facts(int columns, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::extrapolation,
          .description = fmt::format("the midpoint rule with 2{} {} steps, extrapolated",
                                     columns == 2 ? " and" : ", 4, ...,", 2 * columns),
          .order = 2 * columns,
          .error_order = 2 * columns - 1,
          .formulations = field_formulations("standard"),
          .applies_to = "every system whose H_pp is regular across the constraints",
          .reference = "bulirsch-stoer66"};
}

template <class T>
Extrapolation<T>::Extrapolation(MethodFacts facts, int columns, std::unique_ptr<Formulation<T>> formulation)
    : FieldIntegrator<T>(std::move(facts), std::move(formulation)) {
  for (int j = 1; j <= columns; ++j) {
    const Quad all = weight(j, 1, columns), fewer = j == 1 ? 0 : weight(j, 2, columns);
    rows_.push_back({2 * j, static_cast<Number>(all), static_cast<Number>(all - fewer)});
  }
}

template <class T>
void Extrapolation<T>::tolerate(const Tolerance& tolerance, const StepNoiseOf<T>& noise) {
  is_estimating_ = true;
  norm_ = ErrorNorm<T>(tolerance, noise);
}

template <class T>
void Extrapolation<T>::prepare(const PhasePoint<T>& z) {
  for (const auto& [part, x] : {std::pair{&parts_[0], &z.q}, {&parts_[1], &z.p}, {&parts_[2], &z.s}}) {
    if (part->x.size() != x->size()) {
      part->x.assign(x->size(), T(0));
      part->first_rate = part->rate = part->before = part->now = part->increment = part->end = part->error = part->x;
    }
    std::fill(part->increment.begin(), part->increment.end(), T(0));
    std::fill(part->error.begin(), part->error.end(), T(0));
  }
}

// S(n), with its weights. @pre first_rate is f(z).
template <class T>
void Extrapolation<T>::add_row(const PhasePoint<T>& z, Number h, const Row& row, StepReport<T>& report) {
  auto& [q, p, s] = parts_;
  const Number H = h / static_cast<Number>(row.n);
  for (Part& part : parts_) {
    for (std::size_t k = 0; k < part.x.size(); ++k) {
      part.before[k] = T(0);
      part.now[k] = T(H) * part.first_rate[k];
    }
  }
  for (int i = 1; i <= row.n; ++i) {
    check_interruption();
    for (const auto& [part, x] : {std::pair{&q, &z.q}, {&p, &z.p}, {&s, &z.s}})
      for (std::size_t k = 0; k < x->size(); ++k) part->x[k] = (*x)[k] + part->now[k];
    const T t(z.t + H * static_cast<Number>(i));
    this->note_failure(report, this->formulation().field({q.x.data(), p.x.data(), s.x.data(), t}, q.rate.data(),
                                                         p.rate.data(), s.rate.data()));
    ++report.evaluations;
    if (!any(report.ok)) return;
    if (i == row.n) break;
    for (Part& part : parts_) {
      for (std::size_t k = 0; k < part.x.size(); ++k) part.before[k] += T(2 * H) * part.rate[k];
      std::swap(part.before, part.now);
    }
  }
  for (Part& part : parts_) {
    for (std::size_t k = 0; k < part.x.size(); ++k) {
      // (d_{n-1} + 2 d_n + d_{n+1}) / 4, with d_{n+1} put in.
      const T smooth = (part.before[k] + part.now[k] + T(H) * part.rate[k]) / T(2);
      part.increment[k] += T(row.weight) * smooth;
      part.error[k] += T(row.error_weight) * smooth;
    }
  }
}

template <class T>
StepReport<T> Extrapolation<T>::step_variables(PhasePoint<T>& z, Number h, const Memory<T>& /*before*/,
                                               Memory<T>& /*after*/) {
  prepare(z);
  auto& [q, p, s] = parts_;
  StepReport<T> report;
  this->note_failure(report, this->formulation().field({z.q.data(), z.p.data(), z.s.data(), T(z.t)},
                                                       q.first_rate.data(), p.first_rate.data(), s.first_rate.data()));
  ++report.evaluations;
  for (const Row& row : rows_) {
    if (!any(report.ok)) return report;
    add_row(z, h, row, report);
  }
  Mask<T> finite(true);
  for (const Part& part : parts_)
    for (const T& x : part.increment) finite = finite & isfinite(x);
  if (any(report.ok & !finite)) {
    report.status = StepStatus::not_finite;
    report.ok = report.ok & finite;
  }
  if (!any(report.ok)) return report;

  const auto finish = [&](std::vector<T>& x, std::vector<T>& low, Part& part) {
    if (is_estimating_) {
      for (std::size_t k = 0; k < x.size(); ++k) part.end[k] = x[k] + part.increment[k];
      const auto kind = static_cast<std::size_t>(&part - parts_.data());
      report.error = max(report.error, norm_(kind, part.error, x, part.end));
    }
    this->add_increment(report.ok, part.increment, x, low);
  };
  finish(z.q, z.q_low, q);
  finish(z.p, z.p_low, p);
  finish(z.s, z.s_low, s);
  z.advance_time(h);
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, Extrapolation);

}  // namespace cotangent
