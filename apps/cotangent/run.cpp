#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "choose_method.hpp"
#include "commands.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/csv_writer.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/simulation/simulate.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "models_folder.hpp"
#include "process_clock.hpp"
#include "run_options.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent run pendulum
  cotangent run models/pendulum.toml --step 0.001 --end 10
  cotangent run chain --set N=1000 --every 10 --out chain.csv
  cotangent run pendulum --method rk4 --projection none --json
  cotangent run pendulum --end "2*pi" --precision quad

Exit status: 0 done, 1 the integration failed (what was computed is kept), 2 the input was wrong.
)";

// `text` among the allowed words. @throws UsageError
std::string one_of(const char* option, const std::string& text, const std::vector<std::string>& allowed) {
  for (const auto& word : allowed)
    if (text == word) return text;
  throw UsageError(fmt::format("--{} {}: must be {}", option, text, fmt::join(allowed, " or ")));
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

// What the options come to, before anything expensive is done.
struct Choices {
  std::string precision, backend;
  InitialPolicy initial;
  TimeGridOptions grid;
  std::vector<std::string> monitors;
};

std::string choose_backend(const std::optional<std::string>& wish, const std::string& precision) {
  if (wish) one_of("backend", *wish, {"jit", "interpreter"});
  if (precision == "double") {
    if (wish == "jit" && !has_jit())
      throw UsageError("--backend jit: this program was built without LLVM; use --backend interpreter");
    return wish.value_or(has_jit() ? "jit" : "interpreter");
  }
  if (wish == "jit")
    throw UsageError(
        fmt::format("--backend jit computes in double precision only; leave it out with --precision {}", precision));
  return "interpreter";
}

std::vector<std::string> choose_monitors(const std::optional<std::string>& wish) {
  std::vector<std::string> names;
  if (!wish) {
    for (const auto& facts : monitors()) names.push_back(facts.name);
  } else if (*wish != "none") {
    names = split_at_commas(*wish);
  }
  for (const auto& name : names) static_cast<void>(find_monitor(name));
  return names;
}

void check_out(const std::optional<std::string>& out) {
  if (!out) return;
  const std::string ending = std::filesystem::path(*out).extension().string();
  if (ending != ".csv")
    throw UsageError(fmt::format("--out {}: this version writes .csv files only, not '{}'", *out, ending));
}

Choices choose(const RunOptions& options) {
  Choices choices;
  choices.precision = one_of("precision", options.precision.value_or("double"), {"double", "long", "quad"});
  choices.backend = choose_backend(options.backend, choices.precision);
  choices.initial = one_of("initial", options.initial.value_or("project"), {"project", "as-given"}) == "project"
                        ? InitialPolicy::project
                        : InitialPolicy::as_given;
  if (!options.step) throw UsageError("the step is not given: use --step H, or step = H in [run] of the model");
  if (!options.end) throw UsageError("the end is not given: use --end T, or end = T in [run] of the model");
  choices.grid = {*options.step, *options.end, options.every, options.sample};
  choices.monitors = choose_monitors(options.monitor);
  if (options.projection) static_cast<void>(find_projection(*options.projection));
  check_out(options.out);
  return choices;
}

ProjectionPolicy choose_projection(const RunOptions& options, const MethodFacts& facts, std::int64_t constraints) {
  return {
      .projection = options.projection ? find_projection(*options.projection) : default_projection(facts, constraints),
      .every = options.project_every.value_or(1),
      .above = options.project_above};
}

void print_notes(const RunOptions& options, const std::vector<std::string>& notes) {
  if (options.quiet.value_or(false) || options.json.value_or(false)) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", note);
}

template <class T>
std::unique_ptr<CsvWriter<T>> open_output(const RunOptions& options, const Model& model,
                                          const MonitorSet<T>& monitors) {
  if (!options.out) return nullptr;
  try {
    return std::make_unique<CsvWriter<T>>(*options.out, model, monitors);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

template <class T>
int run_in_precision(const Model& model, const RunOptions& options, const Choices& choices) {
  std::vector<std::string> notes = model.notes;
  const TimeGrid<T> grid(choices.grid);
  if (grid.step_was_reduced())
    notes.push_back(fmt::format("the step was reduced from {} to {:g}, so that steps end at the sampling times",
                                choices.grid.step, static_cast<double>(grid.step())));

  // From symbols to numbers.
  const auto elements = regular_elements(model, notes);
  System<T> system(elements, choices.backend == "jit" ? Backend::jit : Backend::interpreter);
  Manifold<T> manifold(system);
  const auto integrator = choose_method(manifold, options.method, options.formulation, notes);
  const MethodFacts& facts = integrator->facts();
  const std::string formulation = options.formulation.value_or(facts.formulations.front());
  Projector<T> projector(manifold, choose_projection(options, facts, system.m()));
  MonitorSet<T> monitors(choices.monitors, manifold);
  InitialData<T> initial = make_initial_data(model, manifold, choices.initial);

  const bool json = options.json.value_or(false), quiet = options.quiet.value_or(false);
  print_notes(options, notes);
  const auto writer = open_output<T>(options, model, monitors);

  // The run.
  Simulation<T> simulation{*integrator, projector, monitors, *elements, writer.get()};
  ProgressBar bar(stderr);
  if (is_terminal(stderr) && !json && !quiet)
    simulation.progress = [&bar](const Progress& progress) { bar.draw(progress); };
  Summary summary;
  {
    const InterruptGuard guard;
    simulation.interrupted = guard.flag();
    summary = simulate(simulation, grid, initial.z);
  }
  const double setup_seconds = process_seconds() - summary.wall_seconds;
  bar.clear();
  if (writer) writer->close();

  // What it has to tell.
  PointDetails<T> details = point_details(manifold, initial.z);
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
                      .velocities = std::move(details.velocities),
                      .multipliers = std::move(details.multipliers),
                      .initial_change = {},
                      .notes = notes};
  if (initial.position_change > T(0) || initial.momentum_change > T(0))
    report.initial_change = {static_cast<double>(initial.position_change),
                             static_cast<double>(initial.momentum_change)};
  if (json) {
    fmt::print("{}", json_summary(report));
  } else if (!quiet) {
    fmt::print("{}", table_summary(report));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be written");
  if (summary.failure) fmt::print(stderr, "error: {}\n", describe(*summary.failure));
  if (summary.outcome == Outcome::interrupted && !quiet)
    fmt::print(stderr, "interrupted at t = {:g}, after {} steps\n", summary.time, summary.steps);
  return summary.outcome == Outcome::done ? kDone : kFailed;
}

int run(RunOptions options) {
  const Model model = read_model(find_model(options.model), options.set);
  complete_run_options(options, model);
  const Choices choices = choose(options);
  if (choices.precision == "long") return run_in_precision<long double>(model, options, choices);
  if (choices.precision == "quad") return run_in_precision<Quad>(model, options, choices);
  return run_in_precision<double>(model, options, choices);
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "integrate one system");
  command->footer(kExamples);
  auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  return [options] { return run(*options); };
}
