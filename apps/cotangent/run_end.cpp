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
#include "formulation_choice.hpp"

using namespace cotangent;

namespace {

// Multipliers that dependent constraints leave open are not reported.
template <class T>
std::vector<T> determined(const std::vector<T>& multipliers) {
  const bool is_known = std::all_of(multipliers.begin(), multipliers.end(), [](const T& x) { return isfinite(x); });
  return is_known ? multipliers : std::vector<T>();
}

// Returning to what changes by itself leads away from the motion.
void warn_of(const std::vector<ChangingInvariant>& changing, const ProjectionPolicy& policy, Summary& summary) {
  for (const ChangingInvariant& invariant : changing) {
    const auto& kept = policy.invariants;
    const bool is_kept = std::find(kept.begin(), kept.end(), invariant.name) != kept.end();
    summary.warnings.push_back(
        {invariant.time, "changing-invariant",
         describe(invariant) + (is_kept ? "; returning to its first value leads away from the motion" : "")});
  }
}

// Everything that there is to tell, in the order in which it is found.
template <class T>
RunReport<T> make_report(EndedRun<T>& run) {
  const RunParts& parts = run.machine.parts;
  Summary& summary = run.summary;
  const auto section = run.watch.section().finish(summary);
  advise_on_charts(parts.options, parts.formulation, run.machine.manifold().system().m(), summary);
  const auto changing = changing_invariants(parts.model, parts.elements);
  warn_of(changing, parts.policy, summary);
  run.watch.fit_growth(summary);
  PointValues<T> values(run.machine.manifold());
  const InitialData<T>& initial = run.initial;
  const PhasePoint<T>& z = initial.z;
  RunReport<T> report{.model = parts.model,
                      .elements = *parts.elements,
                      .method = parts.method,
                      .formulation = parts.formulation,
                      .projection = name_of(parts.policy.projection),
                      .backend = parts.choices.backend,
                      .precision = parts.choices.precision,
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

void print_notes(const RunOptions& options, const std::vector<std::string>& notes) {
  if (options.quiet.value_or(false) || options.json.value_or(false)) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", note);
}

template <class T>
int end_run(EndedRun<T> run) {
  const RunOptions& options = run.machine.parts.options;
  const bool json = options.json.value_or(false), quiet = options.quiet.value_or(false);
  const RunReport<T> report = make_report(run);
  if (json) {
    fmt::print("{}", json_summary(report));
  } else if (!quiet) {
    fmt::print("{}", table_summary(report));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  const Summary& summary = run.summary;
  if (!json && !quiet)
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", warning.text);
  if (summary.failure) fmt::print(stderr, "error: {}\n", describe(*summary.failure));
  if (summary.outcome == Outcome::interrupted && !quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps{}\n", summary.time, summary.steps,
               options.checkpoint ? fmt::format("; cotangent run --resume {} goes on", *options.checkpoint) : "");
  return summary.outcome == Outcome::done ? kDone : kFailed;
}

#define COTANGENT_FUNCTIONS(T) template int end_run(EndedRun<T>);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
