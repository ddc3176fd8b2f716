#include "cotangent/integrator/composition.hpp"

#include <fmt/format.h>

#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
MethodFacts composition_facts(const std::string& name, const CompositionTable& table, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::composition;
  facts.description = fmt::format("{} steps of {}, coefficients '{}'", table.gamma.size(), method.name, table.name);
  facts.order = table.order;
  facts.error_order = 0;
  facts.reference = table.reference;
  return facts;
}

template <class T>
Composition<T>::Composition(MethodFacts facts, const CompositionTable& table, std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)), method_(std::move(method)) {
  for (const Quad& exact : table.gamma) {
    const auto gamma = static_cast<LaneOf<T>>(exact);
    if (!runs_.empty() && runs_.back().gamma == gamma) {
      ++runs_.back().count;
    } else {
      runs_.push_back({gamma, 1});
    }
  }
}

template <class T>
StepReport<T> Composition<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (is_held_) return parts(z, h, end);
  std::int64_t iterations = 0, evaluations = 0;
  method_->hold_chart(z);
  StepReport<T> report;
  while (true) {
    report = parts(z, h, end);
    iterations += report.iterations;
    evaluations += report.evaluations;
    if (any(report.ok) ? method_->held_right_chart(z, end) : !method_->held_another_chart(z, h)) break;
  }
  method_->release_chart();
  report.iterations = iterations;
  report.evaluations = evaluations;
  return report;
}

// All parts of a step.
template <class T>
StepReport<T> Composition<T>::parts(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report;
  end = z;
  for (const Run& run : runs_) {
    // A run ends early where a lane fails; the other lanes go on.
    for (std::int64_t left = run.count; left > 0;) {
      std::int64_t done = 0;
      const StepReport<T> part = method_->advance(end, run.gamma * h, left, done);
      report.iterations += part.iterations;
      report.evaluations += part.evaluations;
      report.charts += part.charts;
      left -= done;
      if (part.status == StepStatus::ok) continue;
      --left;
      if (any(report.ok & !part.ok)) {
        report.status = part.status;
        report.residual = part.residual;
        report.tolerance = part.tolerance;
        report.row = part.row;
      }
      report.ok = report.ok & part.ok;
      if (!any(report.ok)) return report;
    }
  }
  PhasePoint<T>& Z = end.adjust();
  Z.t = z->t;
  Z.t_low = z->t_low;
  Z.advance_time(h);
  // Lanes that did not get through stay where they began. What is known belongs to where they were last.
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), end.change());
  return report;
}

COTANGENT_INSTANTIATE(NUMBERS, Composition);

}  // namespace cotangent
