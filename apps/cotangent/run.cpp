#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "certifier.hpp"
#include "choose_method.hpp"
#include "commands.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/lagrange_2.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/model/unknown_name.hpp"
#include "cotangent/monitor/exact_solution.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/output/csv_writer.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/output/signal_recorder.hpp"
#include "cotangent/simulation/alternative.hpp"
#include "cotangent/simulation/changing_invariants.hpp"
#include "cotangent/simulation/minimal_start.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "cotangent/simulation/start.hpp"
#include "errors.hpp"
#include "formulation_choice.hpp"
#include "interrupt.hpp"
#include "models_folder.hpp"
#include "monitor_sources.hpp"
#include "poincare.hpp"
#include "process_clock.hpp"
#include "projection_choice.hpp"
#include "resumption.hpp"
#include "run_choices.hpp"
#include "run_options.hpp"
#include "watched_symmetries.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent run pendulum
  cotangent run models/pendulum.toml --step 0.001 --end 10
  cotangent run chain --set N=1000 --every 10 --out chain.csv
  cotangent run pendulum --method rk4 --projection none --json
  cotangent run pendulum --formulation dirac --method gauss:2
  cotangent run pendulum --end "2*pi" --precision quad
  cotangent run kepler --set ecc=0.9 --tolerance 1e-6 --sample 0.1 --out kepler.csv
  cotangent run kepler --reference exact --growth
  cotangent run henon_heiles --section x --section-out section.csv
  cotangent run pendulum --end 1000 --checkpoint p.ckpt
  cotangent run --resume p.ckpt --end 2000

Exit status: 0 done, 1 the integration failed (what was computed is kept), 2 the input was wrong.
)";

void print_notes(const RunOptions& options, const std::vector<std::string>& notes) {
  if (options.quiet.value_or(false) || options.json.value_or(false)) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", note);
}

template <class T>
std::unique_ptr<Integrator<T>> choose_method_for(const Model& model, Manifold<T>& manifold, const RunOptions& options,
                                                 InitialPolicy initial, std::vector<std::string>& notes) {
  try {
    return choose_method<T>(manifold, options, notes, [&] { return make_initial_data(model, manifold, initial).z; });
  } catch (const MinimalError& error) {
    throw refusal(model, model.minimal->where, error.what());
  }
}

template <class T>
std::unique_ptr<CsvWriter<T>> open_output(const RunOptions& options, const Model& model, Manifold<T>& manifold,
                                          const MonitorSet<T>& monitors, const std::optional<WrittenPart>& after) {
  if (!options.out) return nullptr;
  try {
    return std::make_unique<CsvWriter<T>>(*options.out, model, manifold, monitors, after);
  } catch (const std::runtime_error& error) {
    options.places.refuse("out", error.what());
  }
}

// A signal that there would be, or is, under another name.
template <class T>
void refuse_idle_signal(const RunOptions& options, const MonitorSet<T>& monitors, const std::string& name) {
  if (monitors.find(name)) return;
  if (const std::string full = "invariants." + name; monitors.find(full))
    options.places.refuse("periodogram", fmt::format("there is no signal '{}'", name),
                          fmt::format("the invariant is called '{}' here", full));
  for (const MonitorFacts& facts : cotangent::monitors())
    if (facts.name == name)
      options.places.refuse("periodogram", fmt::format("'{}' is not watched in this run", name),
                            name == "error" ? "add --reference finer:2, say" : fmt::format("add --monitor {}", name));
}

// What keeps the signals whose periodograms are asked for; a null pointer if there are none.
template <class T>
std::unique_ptr<SignalRecorder<T>> choose_signals(const RunOptions& options, const RunChoices& choices,
                                                  const Model& model, Manifold<T>& manifold,
                                                  const MonitorSet<T>& monitors) {
  if (choices.signals.empty()) return nullptr;
  return options.places.blame("periodogram", [&] {
    try {
      return std::make_unique<SignalRecorder<T>>(model, manifold, monitors, choices.signals);
    } catch (const UnknownName&) {
      for (const auto& name : choices.signals) refuse_idle_signal(options, monitors, name);
      throw;
    }
  });
}

template <class T>
std::vector<NamedPeriodogram> periodograms_of(const SignalRecorder<T>& signals) {
  std::vector<NamedPeriodogram> result;
  for (std::size_t k = 0; k < signals.names().size(); ++k)
    result.push_back({signals.names()[k], periodogram(signals.spacing(), signals.samples(k))});
  return result;
}

// Changes begin with 0, and residuals and errors count from it; others are measured from where they began.
template <class T>
GrowthOptions growth_options(const Monitor<T>& monitor) {
  const bool is_level = monitor.name() == "condition" || monitor.name() == "multipliers";
  return {.reference = is_level ? std::nullopt : std::optional<double>(0)};
}

// Multipliers that dependent constraints leave open are not reported.
template <class T>
std::vector<T> determined(const std::vector<T>& multipliers) {
  const bool is_known = std::all_of(multipliers.begin(), multipliers.end(), [](const T& x) { return isfinite(x); });
  return is_known ? multipliers : std::vector<T>();
}

/// How far the initial data are off the constraints, where they are to be kept as they are.
template <class T>
struct Offset {
  typename Manifold<T>::Residual position, momentum;

  Offset(Manifold<T>& manifold, const PhasePoint<T>& z)
      : position(manifold.position_residual(z.q.data(), z.t)), momentum(manifold.momentum_residual(z)) {}

  static bool is_off(const typename Manifold<T>::Residual& residual) {
    return residual.value > T(1000) * residual.level;
  }
  bool in_position() const { return is_off(position); }
  bool in_momentum() const { return is_off(momentum); }

  std::string text() const {
    return fmt::format("the initial data are off the constraints (|g| = {:.3g}, |G H_p| = {:.3g})",
                       static_cast<double>(position.value), static_cast<double>(momentum.value));
  }
};

// What returns to the constraints after every step leaves data that were to be kept as they are at once: the trajectory
// begins with a jump.
template <class T>
void note_jump(const RunOptions& options, const MethodFacts& facts, const ProjectionPolicy& policy,
               const Offset<T>& offset, std::vector<std::string>& notes) {
  const bool to_position = facts.keeps_position || policy.to_position();
  const bool to_momentum = facts.keeps_momentum || policy.to_momentum();
  const bool jumps_in_position = offset.in_position() && to_position;
  const bool jumps_in_momentum = offset.in_momentum() && to_momentum;
  if (!jumps_in_position && !jumps_in_momentum) return;
  const std::string who = policy.to_position() || policy.to_momentum()
                              ? fmt::format("the projection '{}'", name_of(policy.projection))
                              : fmt::format("the method '{}'", facts.name);
  const char* where = offset.in_position() && !to_position   ? "to G H_p = 0, but not to g = 0"
                      : offset.in_momentum() && !to_momentum ? "to g = 0, but not to G H_p = 0"
                                                             : "to them";
  notes.push_back(fmt::format("{}: {}, and {} returns {} in the first step", options.places.name("initial"),
                              offset.text(), who, where));
}

// What the formulation needs of the first point.
template <class T>
void check_start(const RunOptions& options, const Model& model, const std::string& formulation,
                 const std::optional<Offset<T>>& offset, Manifold<T>& manifold, const PhasePoint<T>& z) {
  if (formulation != lagrange_2_facts().name) return;
  if (offset && (offset->in_position() || offset->in_momentum()))
    options.places.refuse("initial",
                          fmt::format("{}, and '{}' has no points there", offset->text(), lagrange_2_facts().name),
                          "leave it out: the initial data are then moved onto the constraints");
  expect_minimal_start(model, manifold, z);
}

// Minimal coordinates have full matrices.
void note_cost(const std::string& formulation, const Elements& elements, std::vector<std::string>& notes) {
  constexpr std::int64_t kMany = 100;
  if (formulation != lagrange_2_facts().name || elements.minimal->size < kMany) return;
  notes.push_back(
      fmt::format("'{}' with {} minimal coordinates takes time that grows with the third power of their number; "
                  "'state-space' does not",
                  formulation, elements.minimal->size));
}

// The density of steps that was asked for, if it can be one.
template <class T>
std::unique_ptr<StepDensity<T>> choose_density(const RunOptions& options, const Model& model,
                                               const std::string& backend, PhasePoint<T> z) {
  if (!options.step_density) return nullptr;
  auto density = make_density<T>(options, model, backend);
  const T here = (*density)(z);
  if (!isfinite(here) || !(here > T(0)))
    options.places.refuse(
        "step-density", fmt::format("must be a positive number, but is {:g} at the start", static_cast<double>(here)));
  for (T& p : z.p) p = -p;
  z.touch();
  if (const T back = (*density)(z); !(abs(back - here) <= T(1e-6) * here))
    options.places.refuse("step-density",
                          fmt::format("must be the same for a motion that runs backwards, but is {:g} at the start and "
                                      "{:g} with the opposite momenta",
                                      static_cast<double>(here), static_cast<double>(back)),
                          "use squares of momenta and velocities");
  return density;
}

// What the next run of the same kind would choose by itself, but not with certainty: it may depend on the end.
std::vector<std::string> chosen_options(const MethodFacts& facts, const std::string& formulation,
                                        const ProjectionPolicy& policy,
                                        const std::optional<AdaptiveOptions>& adaptive) {
  std::vector<std::string> chosen{"method=" + facts.name, "formulation=" + formulation,
                                  "projection=" + name_of(policy.projection)};
  if (adaptive) chosen.push_back(std::string("controller=") + name_of(adaptive->controller));
  return chosen;
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

template <class T>
int run_in_precision(const Model& model, const RunOptions& options, const RunChoices& choices, RememberedRun asked,
                     Resumption* resumption) {
  std::vector<std::string> notes = model.notes;
  if (resumption)
    for (auto& note : resumption_notes(*resumption, options)) notes.push_back(std::move(note));
  std::optional<TimeGrid<T>> grid;
  if (!choices.adaptive) grid.emplace(choices.grid);
  if (grid && grid->step_was_reduced())
    notes.push_back(fmt::format("the step was reduced from {} to {:g}, so that steps end at the sampling times",
                                choices.grid.step, static_cast<double>(grid->step())));

  // From symbols to numbers.
  const auto elements = regular_elements(model, notes);
  System<T> system(elements, choices.backend == "jit" ? Backend::jit : Backend::interpreter);
  Manifold<T> manifold(system);
  const auto integrator = choose_method_for(model, manifold, options, choices.initial, notes);
  const MethodFacts& facts = integrator->facts();
  const std::string formulation = options.formulation.value_or(facts.formulations.front());
  expect_resolved_rates(options, formulation, grid ? choices.grid.step : choices.adaptive->end,
                        static_cast<double>(epsilon<T>()));
  const ProjectionPolicy policy = choose_projection(options, facts, system.m());
  for (auto& note : idle_projection_options(options, facts, policy, system.m())) notes.push_back(std::move(note));
  for (auto& note : idle_options(options, facts, system.m())) notes.push_back(std::move(note));
  for (auto& note : idle_formulation_options(options, formulation, policy, system.m()))
    notes.push_back(std::move(note));
  note_cost(formulation, *elements, notes);
  auto projector = options.places.blame("project-invariants", [&] { return Projector<T>(manifold, policy); });
  const RunParts parts{model, elements, options, choices, facts.name, formulation, policy};
  MonitorSet<T> monitors(choices.monitors, manifold, monitor_sources<T>(parts));
  PoincareSection<T> section(parts, notes);
  if (section.follower()) monitors.add(section.follower());
  std::optional<Certifier<T>> certifier;
  if (options.certify.value_or(false)) certifier.emplace(parts, facts, manifold, monitors);
  InitialData<T> initial = make_start(model, manifold, choices.initial, notes);
  if (options.growth.value_or(false) && monitors.list().empty())
    notes.emplace_back("--growth changes nothing: nothing is watched");
  if (options.reference == "exact") note_exact_mismatch(model, initial.z, notes);

  std::optional<Offset<T>> offset;
  if (choices.initial == InitialPolicy::as_given && system.m() > 0) offset.emplace(manifold, initial.z);
  check_start(options, model, formulation, offset, manifold, initial.z);
  if (offset) note_jump(options, facts, policy, *offset, notes);
  std::optional<AdaptiveOptions> adaptive = choices.adaptive;
  std::unique_ptr<StepDensity<T>> density;
  if (adaptive) {
    adaptive->controller = choose_controller(options, facts);
    const bool is_reversible = adaptive->controller == Controller::reversible;
    if (is_reversible && projector.is_active())
      notes.push_back("the projection after every step is not symmetric: the steps are reversible, the run is not");
    if (is_reversible) density = choose_density<T>(options, model, choices.backend, initial.z);
  }

  const bool json = options.json.value_or(false), quiet = options.quiet.value_or(false);
  print_notes(options, notes);
  const auto signals = choose_signals<T>(options, choices, model, manifold, monitors);
  const auto kept = [&](const std::optional<WrittenFile> RememberedRun::*file, const std::optional<std::string>& now) {
    return resumption ? Resumption::kept(resumption->run.*file, now) : std::nullopt;
  };
  const auto writer = open_output<T>(options, model, manifold, monitors, kept(&RememberedRun::out, options.out));
  section.open(parts, manifold, kept(&RememberedRun::section_out, options.section_out));
  Recorders<T> recorders;
  recorders.add(writer.get());
  recorders.add(signals.get());

  // The run.
  Simulation<T> simulation{*integrator, projector, monitors, manifold, recorders.empty() ? nullptr : &recorders};
  std::vector<Series> series;
  if (options.growth.value_or(false) || certifier) simulation.series = &series;
  if (certifier)
    simulation.begins_after_step = [&](const Monitor<T>& monitor) { return certifier->begins_after_step(monitor); };
  asked.choices = chosen_options(facts, formulation, policy, adaptive);
  asked.choices.push_back("precision=" + choices.precision);
  simulation.checkpoints.every = options.checkpoint_every.value_or(0);
  if (options.checkpoint)
    simulation.checkpoints.keep = [&](const std::function<void(Archive&)>& state) {
      asked.time = static_cast<double>(initial.z.t);
      if (writer) asked.out = WrittenFile{absolute(*options.out), writer->written()};
      if (const auto part = section.written()) asked.section_out = WrittenFile{absolute(*options.section_out), *part};
      Archive archive;
      archive("asked", asked);
      if (signals) archive("signals", *signals);
      state(archive);
      write_checkpoint(*options.checkpoint, archive);
    };
  if (resumption) {
    if (signals) resumption->archive("signals", *signals);
    simulation.checkpoints.from = &resumption->archive;
  }
  ProgressBar bar(stderr);
  if (is_terminal(stderr) && !json && !quiet)
    simulation.progress = [&bar](const Progress& progress) { bar.draw(progress); };
  Summary summary;
  {
    const InterruptGuard guard;
    simulation.interrupted = guard.flag();
    summary =
        adaptive ? simulate(simulation, *adaptive, initial.z, density.get()) : simulate(simulation, *grid, initial.z);
  }
  const double setup_seconds = process_seconds() - summary.wall_seconds;
  bar.clear();

  // What it has to tell.
  const auto section_report = section.finish(summary);
  advise_on_charts(options, formulation, summary);
  const auto changing = changing_invariants(model, elements);
  warn_of(changing, policy, summary);
  for (std::size_t k = 0; k < series.size(); ++k)
    summary.monitors[k].growth = fit_growth(series[k], growth_options(*monitors.list()[k]));
  PointValues<T> values(manifold);
  RunReport<T> report{.model = model,
                      .elements = *elements,
                      .method = facts.name,
                      .formulation = formulation,
                      .projection = name_of(projector.policy().projection),
                      .backend = choices.backend,
                      .precision = choices.precision,
                      .setup_seconds = setup_seconds,
                      .summary = summary,
                      .z = initial.z,
                      .velocities = values.velocities(initial.z),
                      .multipliers = determined(values.multipliers(initial.z)),
                      .observables = values.observables(initial.z),
                      .work = system.has_work() ? std::optional<T>(initial.z.s.back()) : std::nullopt,
                      .initial_change = {},
                      .certificate = {},
                      .notes = notes,
                      .periodograms = signals ? periodograms_of(*signals) : std::vector<NamedPeriodogram>(),
                      .section = section_report};
  if (certifier) report.certificate = (*certifier)(series, summary, initial.z, adaptive, changing);
  if (initial.position_change > T(0) || initial.momentum_change > T(0))
    report.initial_change = {static_cast<double>(initial.position_change),
                             static_cast<double>(initial.momentum_change)};
  if (json) {
    fmt::print("{}", json_summary(report));
  } else if (!quiet) {
    fmt::print("{}", table_summary(report));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  if (!json && !quiet)
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", warning.text);
  if (summary.failure) fmt::print(stderr, "error: {}\n", describe(*summary.failure));
  if (summary.outcome == Outcome::interrupted && !quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps{}\n", summary.time, summary.steps,
               options.checkpoint ? fmt::format("; cotangent run --resume {} goes on", *options.checkpoint) : "");
  return summary.outcome == Outcome::done ? kDone : kFailed;
}

// The model with its alternative Hamiltonian, which has been seen to give the same motion.
Model alternative_of(const Model& model, const RunOptions& options) {
  if (!model.alternative.valid())
    options.places.refuse("hamiltonian", "the model has no alternative Hamiltonian",
                          "add hamiltonian_alternative = \"...\" to [system], beside the hamiltonian");
  const AlternativeReport report = check_alternative(model);
  Model result = with_alternative(model);
  result.notes.push_back(
      fmt::format("the alternative Hamiltonian is integrated, and monitored as the energy; at {} points of the "
                  "constraint manifold it differs from H by {:.1g} at most",
                  report.points, report.energy));
  return result;
}

int run(RunOptions options) {
  std::optional<Resumption> resumption = read_resumption(options);
  Model model = read_model(find_model(options.model), options.set);
  if (resumption) {
    resume_run_options(options, model, resumption->run);
  } else {
    complete_run_options(options, model);
  }
  const RunOptions given = options;
  if (options.certify.value_or(false) && !options.reference) options.reference = "finer:2";
  settle_method_for_projection(options, model, model.notes);
  const RunChoices choices = choose(options);
  if (resumption) check_resumption(*resumption, options, choices);
  const RememberedRun asked = options.checkpoint ? remember(given, choices.precision) : RememberedRun();
  if (choices.uses_alternative) model = alternative_of(model, options);
  watch_symmetries(model, options, choices);
  const auto in_precision = [&](auto zero) {
    return run_in_precision<decltype(zero)>(model, options, choices, asked, resumption ? &*resumption : nullptr);
  };
  try {
    if (choices.precision == "long") return in_precision(0.0L);
    if (choices.precision == "quad") return in_precision(Quad(0));
    return in_precision(0.0);
  } catch (const ArchiveError& error) {
    options.places.refuse("resume", fmt::format("{}: {}", *options.resume, error.what()));
  }
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "integrate one system");
  command->footer(kExamples);
  auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  return [options] { return run(*options); };
}
