#include "run_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/simulation/changing_invariants.hpp"
#include "errors.hpp"
#include "option_flags.hpp"

using namespace cotangent;

namespace {

// Multipliers that dependent constraints leave open are not reported.
template <class T>
std::vector<T> determined(const std::vector<T>& multipliers) {
  const bool is_known = std::all_of(multipliers.begin(), multipliers.end(), [](const T& x) { return isfinite(x); });
  return is_known ? multipliers : std::vector<T>();
}

// Returning to what changes by itself leads away from the motion.
void warn_of(const std::vector<ChangingInvariant>& changing, const RunPlan& plan, Summary& summary) {
  for (const ChangingInvariant& invariant : changing) {
    const auto& kept = plan.project_invariants;
    const bool is_kept = std::find(kept.begin(), kept.end(), invariant.name) != kept.end();
    summary.warnings.push_back(
        {invariant.time, "changing-invariant",
         describe(invariant) + (is_kept ? "; returning to its first value leads away from the motion" : "")});
  }
}

// A warning where a step failed in a chart that another kind of chart may do better than.
void advise_on_charts(const RunPlan& plan, std::int64_t constraints, Summary& summary) {
  if (!summary.failure || constraints == 0 || !plan.formulation.starts_with("state-space")) return;
  if (plan.equations.chart != ChartKind::partition) return;
  const StepStatus status = summary.failure->status;
  if (status != StepStatus::position_solve_failed && status != StepStatus::momentum_solve_failed &&
      status != StepStatus::stage_solve_failed)
    return;
  summary.warnings.push_back(
      {summary.failure->time, "chart",
       "where constraints become dependent, as at the flat position of a linkage, a chart by partition loses digits: "
       "if it failed there, `chart = qr` may get through, and `method = rattle` needs no chart"});
}

// Everything that there is to tell, in the order in which it is found.
template <class T>
RunReport<T> make_report(EndedRun<T>& run) {
  const RunParts& parts = run.machine.parts;
  const RunPlan& plan = parts.plan;
  Summary& summary = run.summary;
  const auto section = run.watch.section().finish(summary);
  advise_on_charts(plan, run.machine.manifold().system().m(), summary);
  const auto changing = changing_invariants(parts.model, parts.elements);
  warn_of(changing, plan, summary);
  run.watch.fit_growth(summary);
  PointValues<T> values(run.machine.manifold());
  const InitialData<T>& initial = run.initial;
  const PhasePoint<T>& z = initial.z;
  RunReport<T> report{.model = parts.model,
                      .elements = *parts.elements,
                      .method = plan.method,
                      .formulation = plan.formulation,
                      .projection = name_of(*plan.projection),
                      .backend = name_of(plan.chosen_backend()),
                      .precision = name_of(plan.precision),
                      .setup_seconds = run.setup_seconds,
                      .summary = summary,
                      .z = z,
                      .velocities = values.velocities(z),
                      .multipliers = determined(values.multipliers(z)),
                      .observables = values.observables(z),
                      .work = run.machine.map.system->has_work() ? std::optional<T>(z.s.back()) : std::nullopt,
                      .initial_change = {},
                      .certificate = run.watch.certificate(summary, run.pace.adaptive(), changing),
                      .notes = run.notes,
                      .periodograms = run.records.periodograms(),
                      .section = section};
  if (initial.position_change > T(0) || initial.momentum_change > T(0))
    report.initial_change = {static_cast<double>(initial.position_change),
                             static_cast<double>(initial.momentum_change)};
  return report;
}

}  // namespace

void print_notes(const RunPlan& plan, const Notes& notes) {
  if (plan.quiet || plan.json) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", with_flags(note));
}

template <class T>
int end_run(EndedRun<T> run) {
  const RunPlan& plan = run.machine.parts.plan;
  const bool json = plan.json, quiet = plan.quiet;
  const RunReport<T> report = make_report(run);
  if (json) {
    fmt::print("{}", with_flags(json_summary(report)));
  } else if (!quiet) {
    fmt::print("{}", with_flags(table_summary(report)));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  const Summary& summary = run.summary;
  if (!json && !quiet)
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", with_flags(warning.text));
  if (summary.failure) fmt::print(stderr, "error: {}\n", with_flags(describe(*summary.failure)));
  if (summary.outcome == Outcome::interrupted && !quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps{}\n", summary.time, summary.steps,
               plan.checkpoint.empty() ? "" : fmt::format("; cotangent run --resume {} goes on", plan.checkpoint));
  return summary.outcome == Outcome::done ? kDone : kFailed;
}

#define COTANGENT_FUNCTIONS(T) template int end_run(EndedRun<T>);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
