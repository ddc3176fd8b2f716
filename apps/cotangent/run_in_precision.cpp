#include "run_in_precision.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/run/run_in.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "option_flags.hpp"
#include "process_clock.hpp"

using namespace cotangent;

namespace {

// Unless they go into JSON or nobody wants them.
void print_notes(const RunPlan& plan, const Notes& notes) {
  if (plan.quiet || plan.json) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", with_flags(note));
}

// Writes a checkpoint: what the run is, its signals, and its state.
template <class T>
void keep_checkpoint(RememberedRun& remembered, RunIn<T>& run, const std::function<void(Archive&)>& state) {
  const auto file = [](const std::string& path, const std::optional<WrittenPart>& part) {
    return part ? std::optional(WrittenFile{absolute(path), *part}) : std::nullopt;
  };
  const WrittenParts written = run.records().written();
  remembered.time = static_cast<double>(run.point()->t);
  remembered.out = file(run.plan().out, written.out);
  remembered.section_out = file(run.plan().section_out, written.section_out);
  Archive archive;
  archive("asked", remembered);
  run.records().signals_state(archive);
  state(archive);
  write_checkpoint(run.plan().checkpoint, archive);
}

// The time loop, with a bar while it goes and with a clean end if it is interrupted.
template <class T>
Summary advance(RunIn<T>& run) {
  ProgressBar bar(stderr);
  if (is_terminal(stderr) && !run.plan().json && !run.plan().quiet)
    run.simulation().progress = [&bar](const Progress& progress) { bar.draw(progress); };
  const InterruptGuard guard;
  run.simulation().interrupted = guard.flag();
  Summary summary = run();
  bar.clear();
  return summary;
}

// The table or JSON, warnings, and what went wrong.
template <class T>
void print_report(const RunPlan& plan, const RunReport<T>& report) {
  if (plan.json) {
    fmt::print("{}", with_flags(json_summary(report)));
  } else if (!plan.quiet) {
    fmt::print("{}", with_flags(table_summary(report)));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  const Summary& summary = report.summary;
  if (!plan.json && !plan.quiet)
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", with_flags(warning.text));
  if (summary.failure) fmt::print(stderr, "error: {}\n", with_flags(describe(*summary.failure)));
  if (summary.outcome == Outcome::interrupted && !plan.quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps{}\n", summary.time, summary.steps,
               plan.checkpoint.empty() ? "" : fmt::format("; cotangent run --resume {} goes on", plan.checkpoint));
}

}  // namespace

template <class T>
int run_in_precision(const Model& model, const RunPlan& plan, const RunWords& words, RememberedRun remembered,
                     Resumption* resumption) {
  Notes notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, plan, words)) notes.push_back(std::move(note));
  RunIn<T> run(model, plan, words, std::move(notes), resumption ? resumption->kept(plan) : WrittenParts());
  print_notes(plan, run.notes());
  remembered.plan = run.plan();
  if (remembered.plan.has_record()) remembered.plan.reference = absolute(remembered.plan.reference);
  Checkpoints& checkpoints = run.simulation().checkpoints;
  if (!plan.checkpoint.empty())
    checkpoints.keep = [&](const std::function<void(Archive&)>& state) { keep_checkpoint(remembered, run, state); };
  if (resumption) {
    run.records().signals_state(resumption->archive);
    checkpoints.from = &resumption->archive;
  }
  Summary summary = advance(run);
  const double setup_seconds = process_seconds() - summary.wall_seconds;
  const RunReport<T> report = run.report(std::move(summary), setup_seconds);
  print_report(run.plan(), report);
  return report.summary.outcome == Outcome::done ? kDone : kFailed;
}

#define COTANGENT_FUNCTIONS(T) \
  template int run_in_precision<T>(const Model&, const RunPlan&, const RunWords&, RememberedRun, Resumption*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
