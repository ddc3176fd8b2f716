#include "run_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checkpoint_file.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/output/signal_recorder.hpp"
#include "errors.hpp"
#include "formulation_choice.hpp"
#include "option_words.hpp"
#include "projection_choice.hpp"

using namespace cotangent;

namespace {

using Words = std::vector<std::string>;

// The commas of r[1,2] separate nothing.
std::size_t next_comma(const std::string& text, std::size_t begin) {
  int depth = 0;
  for (std::size_t k = begin; k < text.size(); ++k) {
    depth += text[k] == '[' ? 1 : text[k] == ']' ? -1 : 0;
    if (text[k] == ',' && depth <= 0) return k;
  }
  return text.size();
}

std::string choose_backend(const RunOptions& options, const std::string& precision) {
  const std::string backend = word_of(options, "backend");
  if (!options.backend) return has_jit() && precision == "double" ? "jit" : "interpreter";
  if (backend == "jit" && !has_jit())
    options.places.refuse("backend", "this program was built without LLVM", "use --backend interpreter");
  if (backend == "jit" && precision != "double")
    options.places.refuse("backend", "'jit' computes in double precision only",
                          fmt::format("leave it out with --precision {}", precision));
  return backend;
}

void check_out(const RunOptions& options, const std::string& option, const std::optional<std::string>& file) {
  if (!file) return;
  const std::string ending = std::filesystem::path(*file).extension().string();
  if (ending != ".csv")
    options.places.refuse(option, fmt::format("this version writes .csv files only, not '{}'", ending));
}

void check_section(const RunOptions& options) {
  static_cast<void>(word_of(options, "section-direction"));
  check_out(options, "section-out", options.section_out);
}

void check_checkpoint(const RunOptions& options) {
  if (options.checkpoint_every && *options.checkpoint_every < 1)
    options.places.refuse("checkpoint-every", fmt::format("must be at least 1, not {}", *options.checkpoint_every));
  if (!options.checkpoint) return;
  try {
    expect_writable(*options.checkpoint);
  } catch (const CheckpointError& error) {
    options.places.refuse("checkpoint", error.what());
  }
}

// Frequencies are those of samples at equal distances, which are all kept.
Words choose_signals(const RunOptions& options, const RunChoices& choices) {
  if (!options.periodogram) return {};
  using Limits = SignalRecorder<double>;
  Words names = split_at_commas(*options.periodogram);
  if (names.empty()) options.places.refuse("periodogram", "names are missing", "for example --periodogram x,energy");
  if (names.size() > Limits::kMostNames)
    options.places.refuse("periodogram", fmt::format("{} names; there may be {}", names.size(), Limits::kMostNames));
  if (choices.adaptive && !options.sample)
    options.places.refuse("periodogram", "the records of adaptive steps are not at equal distances of time",
                          "add --sample DT");
  double spacing = options.sample.value_or(0);
  if (!options.sample) spacing = choices.grid.step * static_cast<double>(options.every.value_or(1));
  if (const double count = *options.end / spacing; count > static_cast<double>(Limits::kMostSamples))
    options.places.refuse(
        "periodogram", fmt::format("the run has {:.3g} records, and at most {} are kept", count, Limits::kMostSamples),
        "add --every K or --sample DT");
  return names;
}

// What can be told from rounding errors of a step, and more than that.
double smallest_tolerance(const std::string& precision) {
  return 10 * (precision == "quad" ? static_cast<double>(epsilon<Quad>()) : epsilon<double>());
}

AdaptiveOptions choose_adaptive(const RunOptions& options, const std::string& precision) {
  const double relative = *options.tolerance, least = smallest_tolerance(precision);
  if (!(relative > 0 && relative < 1))
    options.places.refuse("tolerance", fmt::format("must be between 0 and 1, not {}", relative));
  if (relative < least)
    options.places.refuse("tolerance",
                          fmt::format("in {} precision rounding errors permit no less than {:.2g}", precision, least),
                          precision == "quad" ? "" : "use --precision quad");
  if (options.absolute_tolerance && !(*options.absolute_tolerance > 0))
    options.places.refuse("absolute-tolerance", fmt::format("must be positive, not {}", *options.absolute_tolerance));
  if (options.step && !(*options.step > 0))
    options.places.refuse("step", fmt::format("the step must be positive, not {}", *options.step));
  try {
    check_times(*options.end, options.every, options.sample);
  } catch (const TimeGridError& error) {
    options.places.refuse(error.option(), error.what());
  }
  return {.tolerance = {.relative = relative, .absolute = options.absolute_tolerance.value_or(0)},
          .end = *options.end,
          .first_step = options.step,
          .every = options.every,
          .sample = options.sample};
}

TimeGridOptions choose_grid(const RunOptions& options) {
  if (!options.step)
    throw UsageError(
        "the step is not given: use --step H, or step = H in [run] of the model, or --tolerance T for adaptive steps");
  const TimeGridOptions grid{*options.step, *options.end, options.every, options.sample};
  try {
    static_cast<void>(TimeGrid<double>(grid));
  } catch (const TimeGridError& error) {
    options.places.refuse(error.option(), error.what());
  }
  return grid;
}

}  // namespace

Words split_at_commas(const std::string& text) {
  Words parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = next_comma(text, begin);
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

Backend backend_of(const RunChoices& choices) { return choices.backend == "jit" ? Backend::jit : Backend::interpreter; }

Words choose_monitors(const RunOptions& options) {
  Words names;
  if (!options.monitor) {
    for (const auto& facts : monitors())
      if (facts.is_usual) names.push_back(facts.name);
  } else {
    names = split_at_commas(*options.monitor);
    const auto none = std::find(names.begin(), names.end(), "none");
    if (none != names.end() && names.size() > 1)
      options.places.refuse("monitor", "'none' says that nothing is watched, and stands alone",
                            "leave out 'none', or the other names");
    if (none != names.end()) names.clear();
  }
  if (options.certify.value_or(false))
    for (const char* name : {"energy", "position", "momentum", "wedge", "error"})
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  if (options.reference && std::find(names.begin(), names.end(), "error") == names.end()) names.emplace_back("error");
  for (const auto& name : names) options.places.blame("monitor", [&] { static_cast<void>(find_monitor(name)); });
  return names;
}

RunChoices choose(const RunOptions& options) {
  RunChoices choices;
  choices.precision = word_of(options, "precision") == "double" ? "double" : "quad";
  choices.backend = choose_backend(options, choices.precision);
  choices.initial = word_of(options, "initial") == "project" ? InitialPolicy::project : InitialPolicy::as_given;
  choices.uses_alternative = word_of(options, "hamiltonian") == "alternative";
  if (!options.end) throw UsageError("the end is not given: use --end T, or end = T in [run] of the model");
  if (options.controller)
    options.places.blame("controller", [&] {
      expect_name("controller", *options.controller, Words{name_of(Controller::pi), name_of(Controller::reversible)});
    });
  if (options.tolerance) {
    choices.adaptive = choose_adaptive(options, choices.precision);
  } else {
    choices.grid = choose_grid(options);
  }
  choices.monitors = choose_monitors(options);
  check_projection_options(options);
  check_out(options, "out", options.out);
  check_section(options);
  check_checkpoint(options);
  choices.signals = choose_signals(options, choices);
  static_cast<void>(choose_formulation_options(options));
  return choices;
}

Controller choose_controller(const RunOptions& options, const MethodFacts& facts) {
  if (!options.controller) return default_controller(facts);
  if (*options.controller == name_of(Controller::pi)) return Controller::pi;
  if (!facts.symmetric)
    options.places.refuse("controller",
                          fmt::format("steps are reversible with symmetric methods only, and '{}' is none", facts.name),
                          "use --controller pi, or another method (cotangent list methods)");
  return Controller::reversible;
}

Words idle_options(const RunOptions& options, const MethodFacts& facts, std::int64_t constraints) {
  Words notes;
  const auto note = [&](const std::string& option, const std::string& why) {
    notes.push_back(fmt::format("{} changes nothing: {}", options.places.name(option), why));
  };
  if (options.precision == "long") notes.push_back(options.places.name("precision") + " long runs in quad precision");
  if (constraints == 0) {
    if (options.initial) note("initial", "the model has no constraints");
    for (const auto& name : options.monitor ? split_at_commas(*options.monitor) : Words())
      if (name != "none" && find_monitor(name).needs_constraints)
        notes.push_back(fmt::format("'{}' is not monitored: the model has no constraints", name));
  }
  for (const auto& [option, is_given] : {std::pair{"absolute-tolerance", options.absolute_tolerance.has_value()},
                                         {"controller", options.controller.has_value()},
                                         {"step-density", options.step_density.has_value()}})
    if (is_given && !options.tolerance) note(option, "steps are adaptive with --tolerance only");
  if (options.tolerance && options.step_density && choose_controller(options, facts) == Controller::pi)
    note("step-density", "the controller is 'pi'");
  if (!options.out && !options.periodogram && options.every)
    note("every", "nothing is recorded without --out FILE.csv");
  if (!options.checkpoint && !options.resume && options.checkpoint_every)
    note("checkpoint-every", "nothing is kept without --checkpoint FILE");
  for (const auto& [option, is_given] : {std::pair{"section-direction", options.section_direction.has_value()},
                                         {"section-out", options.section_out.has_value()}})
    if (is_given && !options.section) note(option, "there is no --section");
  return notes;
}
