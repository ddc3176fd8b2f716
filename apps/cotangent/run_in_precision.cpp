#include "run_in_precision.hpp"

#include <cstdio>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/exact_solution.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "cotangent/simulation/start.hpp"
#include "interrupt.hpp"
#include "process_clock.hpp"
#include "run_end.hpp"
#include "run_machine.hpp"
#include "run_pace.hpp"
#include "run_records.hpp"
#include "run_start.hpp"
#include "run_watch.hpp"

using namespace cotangent;

namespace {

// What the next run of the same kind would choose by itself, but not with certainty: it may depend on the end.
std::vector<std::string> chosen_options(const RunParts& parts, const std::optional<AdaptiveOptions>& adaptive) {
  std::vector<std::string> chosen{"method=" + parts.method, "formulation=" + parts.formulation,
                                  "projection=" + name_of(parts.policy.projection)};
  if (adaptive) chosen.push_back(std::string("controller=") + name_of(adaptive->controller));
  chosen.push_back("precision=" + parts.choices.precision);
  return chosen;
}

// Writes a checkpoint: how the run was asked for, its signals, and its state.
template <class T>
void keep_checkpoint(const std::string& file, RememberedRun& asked, RunRecords<T>& records, const PhasePoint<T>& z,
                     const std::function<void(Archive&)>& state) {
  asked.time = static_cast<double>(z.t);
  asked.out = records.out();
  asked.section_out = records.section_out();
  Archive archive;
  archive("asked", asked);
  records.signals_state(archive);
  state(archive);
  write_checkpoint(file, archive);
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
int run_in_precision(const Model& model, const RunOptions& options, const RunChoices& choices, RememberedRun asked,
                     Resumption* resumption) {
  std::vector<std::string> notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, options)) notes.push_back(std::move(note));

  RunPace<T> pace(choices, notes);
  const RunMachine<T> machine(model, options, choices, notes);
  RunWatch<T> watch(machine, notes);
  InitialData<T> initial = make_start(model, machine.manifold(), choices.initial, notes);
  watch.note_idle_growth(notes);
  if (options.reference == "exact") note_exact_mismatch(model, initial.z, notes);
  check_start(machine, initial.z, notes);
  pace.settle(machine, initial.z, notes);
  print_notes(options, notes);
  RunRecords<T> records(machine, watch, resumption);

  Simulation<T> simulation{*machine.map.integrator, *machine.map.projector, watch.monitors(), machine.manifold(),
                           records.recorder()};
  watch.follow(simulation);
  asked.choices = chosen_options(machine.parts, pace.adaptive());
  simulation.checkpoints.every = options.checkpoint_every.value_or(0);
  if (options.checkpoint)
    simulation.checkpoints.keep = [&](const std::function<void(Archive&)>& state) {
      keep_checkpoint(*options.checkpoint, asked, records, initial.z, state);
    };
  if (resumption) {
    records.signals_state(resumption->archive);
    simulation.checkpoints.from = &resumption->archive;
  }
  const bool is_silent = options.json.value_or(false) || options.quiet.value_or(false);
  Summary summary = advance(simulation, pace, initial.z, is_terminal(stderr) && !is_silent);
  const double setup_seconds = process_seconds() - summary.wall_seconds;
  return end_run<T>({machine, pace, watch, records, initial, notes, std::move(summary), setup_seconds});
}

#define COTANGENT_FUNCTIONS(T) \
  template int run_in_precision<T>(const Model&, const RunOptions&, const RunChoices&, RememberedRun, Resumption*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)
