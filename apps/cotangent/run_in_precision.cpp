#include "run_in_precision.hpp"

#include <cstdio>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/exact_solution.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/run/run_machine.hpp"
#include "cotangent/run/run_pace.hpp"
#include "cotangent/run/run_records.hpp"
#include "cotangent/run/run_start.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "cotangent/simulation/start.hpp"
#include "interrupt.hpp"
#include "process_clock.hpp"
#include "run_end.hpp"
#include "run_watch.hpp"

using namespace cotangent;

namespace {

// Writes a checkpoint: what the run is, its signals, and its state.
template <class T>
void keep_checkpoint(RememberedRun& run, RunRecords<T>& records, const PhasePoint<T>& z,
                     const std::function<void(Archive&)>& state) {
  const auto file = [](const std::string& path, const std::optional<WrittenPart>& part) {
    return part ? std::optional(WrittenFile{absolute(path), *part}) : std::nullopt;
  };
  const WrittenParts written = records.written();
  run.time = static_cast<double>(z.t);
  run.out = file(run.plan.out, written.out);
  run.section_out = file(run.plan.section_out, written.section_out);
  Archive archive;
  archive("asked", run);
  records.signals_state(archive);
  state(archive);
  write_checkpoint(run.plan.checkpoint, archive);
}

// The time loop, with a bar while it goes and with a clean end if it is interrupted.
template <class T>
Summary advance(Simulation<T>& simulation, const RunPace<T>& pace, PhasePoint<T>& z, bool shows_progress) {
  ProgressBar bar(stderr);
  if (shows_progress) simulation.progress = [&bar](const Progress& progress) { bar.draw(progress); };
  const InterruptGuard guard;
  simulation.interrupted = guard.flag();
  Summary summary = pace(simulation, z);
  bar.clear();
  return summary;
}

}  // namespace

template <class T>
int run_in_precision(const Model& model, const RunPlan& plan, const RunWords& words, RememberedRun remembered,
                     Resumption* resumption) {
  Notes notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, plan, words)) notes.push_back(std::move(note));

  RunPace<T> pace(plan, notes);
  const RunMachine<T> machine(model, plan, words, notes);
  RunWatch<T> watch(machine, notes);
  InitialData<T> initial = make_start(model, machine.manifold(), plan.initial, notes);
  watch.note_idle_growth(notes);
  if (plan.reference == "exact") note_exact_mismatch(model, initial.z, notes);
  check_start(machine, initial.z, notes);
  pace.settle(machine, initial.z, notes);
  print_notes(plan, notes);
  RunRecords<T> records(machine, watch.monitors(), watch.section(),
                        resumption ? resumption->kept(plan) : WrittenParts());

  Simulation<T> simulation{*machine.map.integrator, watch.monitors(), machine.manifold(), records.recorder()};
  watch.follow(simulation);
  remembered.plan = machine.parts.plan;
  if (remembered.plan.has_record()) remembered.plan.reference = absolute(remembered.plan.reference);
  simulation.checkpoints.every = plan.checkpoint_every;
  if (!plan.checkpoint.empty())
    simulation.checkpoints.keep = [&](const std::function<void(Archive&)>& state) {
      keep_checkpoint(remembered, records, initial.z, state);
    };
  if (resumption) {
    records.signals_state(resumption->archive);
    simulation.checkpoints.from = &resumption->archive;
  }
  Summary summary = advance(simulation, pace, initial.z, is_terminal(stderr) && !plan.json && !plan.quiet);
  const double setup_seconds = process_seconds() - summary.wall_seconds;
  return end_run<T>({machine, pace, watch, records, initial, notes, std::move(summary), setup_seconds});
}

#define COTANGENT_FUNCTIONS(T) \
  template int run_in_precision<T>(const Model&, const RunPlan&, const RunWords&, RememberedRun, Resumption*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
