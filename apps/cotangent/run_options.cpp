#include "run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <variant>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/model/unknown_name.hpp"
#include "errors.hpp"

using namespace cotangent;

namespace {

using TextOption = std::optional<std::string> RunOptions::*;
using RealOption = std::optional<double> RunOptions::*;
using IntegerOption = std::optional<std::int64_t> RunOptions::*;
using FlagOption = std::optional<bool> RunOptions::*;

// What becomes of an option when a run is resumed.
enum class Later : std::uint8_t {
  fixed,  // remembered: another value would be another run
  free,   // remembered, unless it is given anew
  anew,   // not remembered
};

struct OptionEntry {
  const char* name;
  std::variant<TextOption, RealOption, IntegerOption, FlagOption> member;
  const char* value;  // how help calls it
  const char* help;
  const char* group;
  Later later = Later::fixed;
};

const std::vector<OptionEntry>& option_entries() {
  static const std::vector<OptionEntry> all{
      {"method", &RunOptions::method, "M", "how steps are made (cotangent list methods)", "Method"},
      {"formulation", &RunOptions::formulation, "F", "which equations of motion; each method has its default",
       "Method"},
      {"hamiltonian", &RunOptions::hamiltonian, "WHICH",
       "given (default), or alternative: hamiltonian_alternative of the model in place of H", "Method"},
      {"projection", &RunOptions::projection, "P",
       "none, position, momentum, both, joint, stage or symmetric (cotangent list projections); default: none where "
       "the "
       "method keeps the constraints, else both",
       "Method"},
      {"metric", &RunOptions::metric, "METRIC", "what is nearest: mass (default) or euclidean", "Method"},
      {"project-invariants", &RunOptions::project_invariants, "LIST",
       "energy, or names of [invariants]: projections return to their values at the start, too", "Method"},
      {"project-every", &RunOptions::project_every, "K", "project after every K-th step (1)", "Method"},
      {"project-above", &RunOptions::project_above, "EPS", "project only where a residual exceeds EPS", "Method"},
      {"solver", &RunOptions::solver, "S",
       "implicit methods: auto (default), functional (iteration only) or newton; always to rounding", "Method"},
      {"initial", &RunOptions::initial, "POLICY",
       "inconsistent initial data: project (default) moves them onto the constraints, as-given keeps them", "Method"},
      {"gauge", &RunOptions::gauge, "ALPHA", "dirac, dirac-weak: R eta = -psi + ALPHA g (0)", "Formulation"},
      {"baumgarte", &RunOptions::baumgarte, "ALPHA,BETA",
       "baumgarte: g'' + 2 ALPHA g' + BETA^2 g = 0 (10,10); one number is both", "Formulation"},
      {"chart", &RunOptions::chart, "KIND", "state-space: partition (default), qr or svd", "Formulation"},
      {"chart-update", &RunOptions::chart_update, "WHEN",
       "state-space: midpoint (default), hysteresis or every-step; the latter two lose the long-time behaviour",
       "Formulation"},
      {"impetus-reset", &RunOptions::impetus_reset, "K", "impetus: p* <- p after every K-th step", "Formulation"},
      {"impetus-reset-above", &RunOptions::impetus_reset_above, "EPS", "impetus: p* <- p where |p* - p| exceeds EPS",
       "Formulation"},
      {"step", &RunOptions::step, "H", "the step, or the first one to try; a number or an expression such as pi/100",
       "Time"},
      {"tolerance", &RunOptions::tolerance, "T", "adaptive steps: the relative error of a step that is tolerated",
       "Time"},
      {"absolute-tolerance", &RunOptions::absolute_tolerance, "A",
       "the same beside it for numbers near zero; default: T times the largest of their kind", "Time"},
      {"controller", &RunOptions::controller, "C",
       "how adaptive steps are chosen: reversible (default for symmetric methods) or pi (for others)", "Time"},
      {"step-density", &RunOptions::step_density, "EXPRESSION",
       "reversible: steps are proportional to 1/EXPRESSION; default: a frequency of the motion", "Time"},
      {"end", &RunOptions::end, "T", "the final time; the last step is shortened to meet it", "Time", Later::free},
      {"every", &RunOptions::every, "K", "record every K-th step (1)", "Output", Later::free},
      {"sample", &RunOptions::sample, "DT",
       "record at 0, DT, 2 DT, ...; a fixed step is made smaller where DT is no multiple of it", "Output", Later::free},
      {"monitor", &RunOptions::monitor, "LIST",
       "what is watched, separated by commas, or none; default: energy, position, momentum (cotangent list monitors)",
       "Output"},
      {"reference", &RunOptions::reference, "R",
       "what errors are measured against: finer:K (K steps in place of each one), exact ([exact] of the model) or "
       "FILE.csv",
       "Output"},
      {"certify", &RunOptions::certify, "",
       "end with a certificate: what the run was to keep, what it kept, trends, and an estimate of its error",
       "Output"},
      {"growth", &RunOptions::growth, "", "fit t^k to what is watched: exponents with their uncertainties", "Output"},
      {"periodogram", &RunOptions::periodogram, "LIST",
       "the strongest frequencies of coordinates, momenta, velocities, states, observables or monitors, at the records",
       "Output"},
      {"section", &RunOptions::section, "EXPRESSION",
       "Poincare section: count the points where the expression passes zero", "Output"},
      {"section-direction", &RunOptions::section_direction, "D", "up (default), down or both", "Output"},
      {"section-out", &RunOptions::section_out, "FILE.csv", "write the points of the section to a file", "Output",
       Later::free},
      {"out", &RunOptions::out, "FILE.csv", "write the trajectory to a file", "Output", Later::free},
      {"checkpoint", &RunOptions::checkpoint, "FILE",
       "keep the run in a file, at its end and when it is interrupted or fails, so that --resume can go on", "Output",
       Later::anew},
      {"checkpoint-every", &RunOptions::checkpoint_every, "K", "and after every K-th step", "Output", Later::free},
      {"json", &RunOptions::json, "", "print the summary as JSON, and nothing else, on standard output", "Output",
       Later::anew},
      {"quiet", &RunOptions::quiet, "", "print nothing but errors", "Output", Later::anew},
      {"backend", &RunOptions::backend, "B", "jit (default) or interpreter", "Evaluation", Later::free},
      {"precision", &RunOptions::precision, "P", "double (default), long or quad; the latter two by the interpreter",
       "Evaluation"},
  };
  return all;
}

// Expressions are read by the model; what it says about them is said again of the option, in whose value so many
// characters come before them.
Expr read_number(const Model& model, const OptionPlaces& places, const std::string& option, const std::string& text,
                 std::size_t before = 0) {
  try {
    return read_expression(model, text);
  } catch (const ModelError& error) {
    places.refuse(option, error.message(), error.suggestion(), {before + error.column(), error.length()});
  }
}

}  // namespace

Expr read_option_expression(const RunOptions& options, const Model& model, const std::string& option,
                            const std::string& text) {
  return read_number(model, options.places, option, text);
}

namespace {

Quad evaluate_constant(const Model& model, const OptionPlaces& places, const std::string& option,
                       const std::string& text, std::size_t before) {
  return evaluate<Quad>(read_number(model, places, option, text, before), [&](SymbolId symbol, auto) -> Quad {
    for (const auto& parameter : model.parameters)
      if (parameter.symbol == symbol) return parameter.value;
    places.refuse(option, fmt::format("'{}' is not a parameter", model.graph->symbol(symbol).name),
                  "numbers on the command line may use parameters only");
  });
}

double number(const Model& model, const OptionPlaces& places, const std::string& option, const std::string& text,
              std::size_t before = 0) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty()) places.refuse(option, "a number is missing");
  if (*end != '\0') value = static_cast<double>(evaluate_constant(model, places, option, text, before));
  if (!std::isfinite(value)) places.refuse(option, "not a finite number");
  return value;
}

std::int64_t integer(const Model& model, const OptionPlaces& places, const std::string& option,
                     const std::string& text) {
  const double value = number(model, places, option, text);
  if (value != std::floor(value) || std::abs(value) > 0x1p53) places.refuse(option, "not an integer");
  return static_cast<std::int64_t>(value);
}

// "ALPHA,BETA", or one number for both. Commas in parentheses are those of functions.
std::pair<double, double> read_baumgarte(const Model& model, const OptionPlaces& places, const std::string& text) {
  const auto rate = [&](std::size_t begin, std::size_t end) {
    const double value = number(model, places, "baumgarte", text.substr(begin, end - begin), begin);
    if (value < 0)
      places.refuse("baumgarte", fmt::format("must be 0 or more, not {}", value),
                    "two numbers are expected, ALPHA,BETA: g'' + 2 ALPHA g' + BETA^2 g = 0", {begin + 1, end - begin});
    return value;
  };
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (text[k] == ',' && depth == 0) return {rate(0, k), rate(k + 1, text.size())};
  }
  const double both = rate(0, text.size());
  return {both, both};
}

const OptionEntry* find_entry(std::string_view name) {
  for (const auto& entry : option_entries())
    if (entry.name == name) return &entry;
  return nullptr;
}

[[noreturn]] void unknown_key(const OptionPlaces& places, const std::string& key) {
  const auto& later = later_run_options();
  if (std::find(later.begin(), later.end(), key) != later.end())
    places.refuse_key(key, fmt::format("'{}' in [run] is not supported by this version yet", key));
  std::vector<std::string> names;
  for (const auto& entry : option_entries()) names.emplace_back(entry.name);
  const UnknownName unknown("option", key, names);
  places.refuse_key(key, unknown.message() + " for [run]", unknown.suggestion());
}

// A value of [run] for an option that the command line leaves open.
struct TakeValue {
  RunOptions& options;
  const std::string& key;
  const RunValue& value;

  void operator()(TextOption member) const { take(member, std::get_if<std::string>(&value), "a string"); }
  void operator()(FlagOption member) const { take(member, std::get_if<bool>(&value), "true or false"); }
  void operator()(IntegerOption member) const { take(member, std::get_if<std::int64_t>(&value), "an integer"); }
  void operator()(RealOption member) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const auto real = static_cast<double>(*whole);
      take(member, &real, "");
    } else {
      take(member, std::get_if<double>(&value), "a number");
    }
  }

 private:
  template <class V>
  void take(std::optional<V> RunOptions::*member, const V* given, const char* expected) const {
    if (!given) options.places.refuse(key, fmt::format("'{}' in [run] must be {}", key, expected));
    if (!(options.*member)) options.*member = *given;
  }
};

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  auto* model =
      app.add_option("MODEL", options.model, "a model file, or the name of one in `cotangent list models`")->required();
  const auto resume = [&options, model](const std::string& file) {
    options.places.on_command_line("resume", file);
    options.resume = file;
    model->required(false);
  };
  app.add_option_function<std::string>("--resume", resume,
                                       "go on with the run of a checkpoint: its model and options are remembered; "
                                       "--end and what is written may change")
      ->type_name("FILE")
      ->group("Model");
  app.add_option("--set", options.set, "override a parameter or an initial value; may be repeated")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Model");
  for (const auto& entry : option_entries()) {
    const std::string flag = std::string("--") + entry.name;
    if (const auto* member = std::get_if<FlagOption>(&entry.member)) {
      app.add_flag_callback(
             flag, [&options, m = *member] { options.*m = true; }, entry.help)
          ->group(entry.group);
      continue;
    }
    const auto take = [&options, &entry](const std::string& given) {
      options.places.on_command_line(entry.name, given);
      if (const auto* text = std::get_if<TextOption>(&entry.member)) {
        options.*(*text) = given;
      } else {
        options.pending.push_back({entry.name, given});
      }
    };
    app.add_option_function<std::string>(flag, take, entry.help)->type_name(entry.value)->group(entry.group);
  }
}

namespace {

void evaluate_numbers(RunOptions& options, const Model& model) {
  for (const auto& [option, text] : options.pending) {
    const auto& member = find_entry(option)->member;
    if (const auto* real = std::get_if<RealOption>(&member))
      options.*(*real) = number(model, options.places, option, text);
    if (const auto* whole = std::get_if<IntegerOption>(&member))
      options.*(*whole) = integer(model, options.places, option, text);
  }
}

void read_rates(RunOptions& options, const Model& model) {
  if (options.baumgarte) options.baumgarte_rates = read_baumgarte(model, options.places, *options.baumgarte);
}

// As it could stand on the command line; nothing if it is not given. Numbers are the shortest decimals that are equal.
std::optional<std::string> text_of(const RunOptions& options, const OptionEntry& entry) {
  return std::visit(
      [&](auto member) -> std::optional<std::string> {
        const auto& value = options.*member;
        return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
      },
      entry.member);
}

void set_from_text(RunOptions& options, const OptionEntry& entry, const std::string& text) {
  options.places.in_checkpoint(entry.name);
  if (const auto* member = std::get_if<TextOption>(&entry.member)) options.*(*member) = text;
  if (const auto* member = std::get_if<RealOption>(&entry.member)) options.*(*member) = std::stod(text);
  if (const auto* member = std::get_if<IntegerOption>(&entry.member)) options.*(*member) = std::stoll(text);
  if (const auto* member = std::get_if<FlagOption>(&entry.member)) options.*(*member) = text == "true";
}

[[noreturn]] void refuse_change(const RunOptions& options, const std::string& name, const RememberedRun& run) {
  const auto given = run.given(name), chosen = run.chosen(name);
  const std::string what = given    ? fmt::format("the run that is resumed has '{}'", *given)
                           : chosen ? fmt::format("the run that is resumed has '{}'", *chosen)
                                    : "the run that is resumed was made without it";
  const std::string advice = "leave it out, or start a new run";
  if (options.places.is_on_command_line(name)) options.places.refuse(name, what, advice);
  throw UsageError(fmt::format("--{}: {}; {}", name, what, advice));
}

}  // namespace

void complete_run_options(RunOptions& options, const Model& model) {
  evaluate_numbers(options, model);
  for (const auto& [key, place] : model.run_places) options.places.in_model(key, place);
  // Of two that exclude each other, the command line's takes the place of the model's.
  const bool records = options.every || options.sample;
  for (const auto& [key, value] : model.run) {
    const OptionEntry* entry = find_entry(key);
    if (!entry) unknown_key(options.places, key);
    if (records && (key == "every" || key == "sample")) continue;
    std::visit(TakeValue{options, key, value}, entry->member);
  }
  read_rates(options, model);
}

std::vector<std::string> remembered_options(const RunOptions& options) {
  std::vector<std::string> all;
  for (const auto& entry : option_entries())
    if (const auto text = text_of(options, entry); text && entry.later != Later::anew)
      all.push_back(fmt::format("{}={}", entry.name, *text));
  return all;
}

void resume_run_options(RunOptions& options, const Model& model, const RememberedRun& run) {
  evaluate_numbers(options, model);
  const bool records = options.every || options.sample;
  for (const auto& entry : option_entries()) {
    if (entry.later == Later::anew) {
      if (const auto found = model.run.find(entry.name); found != model.run.end())
        std::visit(TakeValue{options, found->first, found->second}, entry.member);
      continue;
    }
    const std::string name = entry.name;
    const auto now = text_of(options, entry), given = run.given(name), chosen = run.chosen(name);
    if (now && entry.later == Later::fixed && now != given && now != chosen) refuse_change(options, name, run);
    // Of two that exclude each other, the command line's takes the place of the remembered one.
    if (!now && records && (name == "every" || name == "sample")) continue;
    if (chosen && name != "projection") {
      set_from_text(options, entry, *chosen);
    } else if (!now && given) {
      set_from_text(options, entry, *given);
    }
  }
  read_rates(options, model);
}

const std::vector<std::string>& later_run_options() {
  static const std::vector<std::string> all{"report", "threads", "seed"};
  return all;
}
