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
StepReport<T> Composition<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  start_ = z;
  if (is_held_) return parts(z, h);
  const std::int64_t charts = method_->chart_changes();
  std::int64_t iterations = 0, evaluations = 0;
  method_->hold_chart(z);
  StepReport<T> report;
  for (int attempt = 1;; ++attempt) {
    report = parts(z, h);
    iterations += report.iterations;
    evaluations += report.evaluations;
    if (attempt == kChartAttempts) break;
    if (any(report.ok) ? method_->held_right_chart(start_, z) : !method_->held_another_chart(start_, h)) break;
    z = start_;
  }
  method_->release_chart();
  report.iterations = iterations;
  report.evaluations = evaluations;
  report.charts = method_->chart_changes() - charts;
  return report;
}

// All parts of a step. If none of the lanes got through z is as it was.
template <class T>
StepReport<T> Composition<T>::parts(PhasePoint<T>& z, LaneOf<T> h) {
  StepReport<T> report;
  for (const Run& run : runs_) {
    // A run ends early where a lane fails; the other lanes go on.
    for (std::int64_t left = run.count; left > 0;) {
      std::int64_t done = 0;
      const StepReport<T> part = method_->advance(z, run.gamma * h, left, done);
      report.iterations += part.iterations;
      report.evaluations += part.evaluations;
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
      if (!any(report.ok)) {
        z = start_;
        return report;
      }
    }
  }
  z.t = start_.t;
  z.t_low = start_.t_low;
  z.advance_time(h);
  if (!all(report.ok)) restore(z, !report.ok);
  return report;
}

// Lanes that did not get through stay where they began. What the method and its formulation know belongs to where they
// were last, so it is known no more.
template <class T>
void Composition<T>::restore(PhasePoint<T>& z, const Mask<T>& failed) {
  take_lanes(failed, start_, z);
  z.revision = next_revision_();
}

COTANGENT_INSTANTIATE(NUMBERS, Composition);

}  // namespace cotangent
