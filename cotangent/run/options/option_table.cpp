#include "cotangent/run/options/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/monitor/registry.hpp"

namespace cotangent {
namespace {

using Strings = std::vector<std::string>;

std::string text_of(const std::string& x) { return x; }
std::string text_of(double x) { return fmt::format("{}", x); }
std::string text_of(std::int64_t x) { return std::to_string(x); }
std::string text_of(bool x) { return x ? "true" : ""; }
std::string text_of(const Strings& x) { return fmt::format("{}", fmt::join(x, ",")); }
template <class X>
std::string text_of(const std::optional<X>& x) {
  return x ? text_of(*x) : "";
}

template <class X>
void set_to(X& member, const RunValue& value) {
  member = std::get<X>(value);
}
void set_to(Strings& member, const RunValue& value) { member = split_at_commas(std::get<std::string>(value)); }
template <class X>
void set_to(std::optional<X>& member, const RunValue& value) {
  set_to(member.emplace(), value);
}

constexpr RunKind kind_of(const std::string*) { return RunKind::text; }
constexpr RunKind kind_of(const double*) { return RunKind::real; }
constexpr RunKind kind_of(const std::int64_t*) { return RunKind::integer; }
constexpr RunKind kind_of(const bool*) { return RunKind::flag; }
constexpr RunKind kind_of(const Strings*) { return RunKind::list; }
template <class X>
constexpr RunKind kind_of(const std::optional<X>*) {
  return kind_of(static_cast<const X*>(nullptr));
}

// An option whose value is that of a member. @param at the member of a plan.
template <class At>
Option plain(const OptionSheet& sheet, At at) {
  using Member = std::remove_cvref_t<decltype(at(std::declval<RunPlan&>()))>;
  return {sheet,
          kind_of(static_cast<const Member*>(nullptr)),
          {},
          [at](RunPlan& plan, const RunValue& value) { set_to(at(plan), value); },
          [at](const RunPlan& plan) { return text_of(at(plan)); }};
}

// One with values that are words for those of an enumeration. @param noun what the words are called in refusals.
template <class Value, class At>
Option word(const OptionSheet& sheet, At at, const char* noun, std::vector<std::pair<std::string, Value>> values) {
  Strings words;
  for (const auto& [text, value] : values) words.push_back(text);
  const auto set = [=](RunPlan& plan, const RunValue& given) {
    const auto& text = std::get<std::string>(given);
    expect_name(noun, text, words);
    for (const auto& [name, value] : values)
      if (name == text) at(plan) = value;
  };
  const auto text_of_value = [=](const RunPlan& plan) {
    std::string text;
    for (const auto& [name, value] : values)
      if (at(plan) == value) text = name;
    return text;
  };
  return {sheet, RunKind::text, words, set, text_of_value};
}

std::vector<std::pair<std::string, Projection>> projection_words() {
  std::vector<std::pair<std::string, Projection>> words;
  for (const ProjectionFacts& facts : projections()) words.emplace_back(facts.name, facts.projection);
  return words;
}

// The member of a plan, to read and to write.
#define AT(member) \
  [](auto& plan) -> auto& { return plan.member; }

Option method_option(const OptionSheet& sheet) {
  Option option = plain(sheet, AT(method));
  option.set = [](RunPlan& plan, const RunValue& value) {
    const auto& text = std::get<std::string>(value);
    plan.method = text == "auto" ? "" : find_method<double>(text).facts.name;  // as good as no wish
  };
  return option;
}

Option formulation_option(const OptionSheet& sheet) {
  Option option = plain(sheet, AT(formulation));
  option.set = [](RunPlan& plan, const RunValue& value) {
    Strings names{direct_facts().name};
    for (const auto& entry : formulations<double>()) names.push_back(entry.facts.name);
    expect_name("formulation", std::get<std::string>(value), names);
    plan.formulation = std::get<std::string>(value);
  };
  return option;
}

Option monitor_option(const OptionSheet& sheet) {
  Option option = plain(sheet, AT(monitor));
  option.set = [](RunPlan& plan, const RunValue& value) {
    Strings names = split_at_commas(std::get<std::string>(value));
    const auto none = std::find(names.begin(), names.end(), "none");
    if (none != names.end() && names.size() > 1)
      throw std::invalid_argument(
          "'none' says that nothing is watched, and stands alone; leave out 'none', or the "
          "other names");
    if (none != names.end()) names.clear();
    for (const std::string& name : names) static_cast<void>(find_monitor(name));
    plan.monitor = std::move(names);
  };
  option.text = [](const RunPlan& plan) {
    return plan.monitor && plan.monitor->empty() ? "none" : text_of(plan.monitor);
  };
  return option;
}

Option baumgarte_option(const OptionSheet& sheet) {
  const auto set = [](RunPlan& plan, const RunValue& value) {
    const Strings numbers = split_at_commas(std::get<std::string>(value));
    plan.equations.baumgarte_alpha = std::stod(numbers.front());
    plan.equations.baumgarte_beta = std::stod(numbers.back());
  };
  const auto text = [](const RunPlan& plan) {
    return fmt::format("{},{}", plan.equations.baumgarte_alpha, plan.equations.baumgarte_beta);
  };
  return {sheet, RunKind::reals, {}, set, text};
}

std::vector<Option> make_options() {
  return {
      method_option({"method", "M", "how steps are made (cotangent list methods)", "Method"}),
      formulation_option({"formulation", "F",
                          "which equations of motion (cotangent list formulations); each method has its default",
                          "Method"}),
      word<WhichHamiltonian>(
          {"hamiltonian", "WHICH",
           "given (default), or alternative: hamiltonian_alternative of the model in place of H", "Method"},
          AT(hamiltonian), "Hamiltonian",
          {{"given", WhichHamiltonian::given}, {"alternative", WhichHamiltonian::alternative}}),
      word<FixedPointSolver>(
          {"solver", "S", "implicit methods: auto (default), functional (iteration only) or newton; always to rounding",
           "Method"},
          AT(solves.solver), "solver",
          {{"auto", FixedPointSolver::automatic},
           {"functional", FixedPointSolver::functional},
           {"newton", FixedPointSolver::newton}}),
      word<InitialPolicy>(
          {"initial", "POLICY",
           "inconsistent initial data: project (default) moves them onto the constraints, as-given keeps them",
           "Method"},
          AT(initial), "policy", {{"project", InitialPolicy::project}, {"as-given", InitialPolicy::as_given}}),
      word<Projection>({"projection", "P",
                        "back to the constraints, after steps: none, position, momentum, both, joint; inside steps: "
                        "stage, symmetric; to invariants: scaling "
                        "(cotangent list projections); default: none where the method keeps the constraints, else both",
                        "Projection"},
                       AT(projection), "projection", projection_words()),
      word<Metric>({"metric", "METRIC", "what the nearest point is: by mass (default) or euclidean", "Projection"},
                   AT(metric), "metric",
                   {{name_of(Metric::mass), Metric::mass}, {name_of(Metric::euclidean), Metric::euclidean}}),
      plain({"project-invariants", "LIST",
             "invariants that return to their first values as well: energy, names of [invariants]; separated by commas",
             "Projection"},
            AT(project_invariants)),
      plain({"sets", "SETS",
             "the sets of variables that are scaled, one for each invariant: \"q1,q2|p1,p2\", \"x-1,y-1\" about x = y "
             "= 1; "
             "default: those that suit each point",
             "Projection"},
            AT(sets)),
      plain({"project-every", "K", "project after every K-th step only (1)", "Projection"}, AT(project_every)),
      plain({"project-above", "EPS",
             "project only where a residual (|g|, |G H_p|, a change of an invariant) exceeds EPS", "Projection"},
            AT(project_above)),
      plain({"gauge", "ALPHA", "dirac, dirac-weak: R eta = -psi + ALPHA g (0)", "Formulation"}, AT(equations.gauge)),
      baumgarte_option({"baumgarte", "ALPHA,BETA",
                        "baumgarte: g'' + 2 ALPHA g' + BETA^2 g = 0 (10,10); one number is both", "Formulation"}),
      word<ChartKind>({"chart", "KIND", "state-space: partition (default), qr or svd", "Formulation"},
                      AT(equations.chart), "chart",
                      {{"partition", ChartKind::partition}, {"qr", ChartKind::qr}, {"svd", ChartKind::svd}}),
      word<ChartUpdate>(
          {"chart-update", "WHEN",
           "state-space: midpoint (default), hysteresis or every-step; the latter two lose the long-time behaviour",
           "Formulation"},
          AT(equations.chart_update), "chart-update",
          {{"midpoint", ChartUpdate::midpoint},
           {"hysteresis", ChartUpdate::hysteresis},
           {"every-step", ChartUpdate::every_step}}),
      plain({"impetus-reset", "K", "impetus: p* <- p after every K-th step", "Formulation"},
            AT(equations.impetus_reset)),
      plain({"impetus-reset-above", "EPS", "impetus: p* <- p where |p* - p| exceeds EPS", "Formulation"},
            AT(equations.impetus_reset_above)),
      plain({"step", "H", "the length of steps, or of the first one to try; a number or an expression such as pi/100",
             "Time"},
            AT(step)),
      plain({"tolerance", "T", "adaptive steps: the relative error of a step that is tolerated", "Time"},
            AT(tolerance)),
      plain({"absolute-tolerance", "A",
             "adaptive steps: the error of a step that is tolerated in numbers near zero; default: T times the largest "
             "number of the same kind",
             "Time"},
            AT(absolute_tolerance)),
      word<Controller>({"controller", "C",
                        "how adaptive steps are chosen: reversible (default for symmetric methods without forces) or "
                        "pi (for others)",
                        "Time"},
                       AT(controller), "controller", {{"pi", Controller::pi}, {"reversible", Controller::reversible}}),
      plain({"step-density", "EXPRESSION",
             "reversible: steps are proportional to 1/EXPRESSION; default: a frequency of the motion", "Time"},
            AT(step_density)),
      plain({"start", "T", "the first time (0)", "Time"}, AT(start)),
      plain(
          {"end", "T",
           "the final time; the last step is shortened to meet it, and time goes backwards to an end before the start",
           "Time", Later::free},
          AT(end)),
      monitor_option({"monitor", "LIST",
                      "what is watched at every step, separated by commas: energy, position, momentum (the default), "
                      "wedge, symplectic, lyapunov and others (cotangent list monitors), or none",
                      "Watching"}),
      plain({"certify", "",
             "end with a certificate: what method and projection promise, what was measured, and an estimate of the "
             "error",
             "Watching"},
            AT(certify)),
      plain(
          {"reference", "R",
           "what errors are measured against: finer:K (K steps in place of each one), exact ([exact] of the model) or "
           "a record, FILE.csv, FILE.npz or FILE.h5",
           "Watching"},
          AT(reference)),
      plain({"growth", "", "how what is watched grows: the k of t^k, with its uncertainty", "Watching"}, AT(growth)),
      plain({"periodogram", "LIST",
             "the strongest frequencies of coordinates, momenta, velocities, states, observables or monitors, at the "
             "records",
             "Watching"},
            AT(periodogram)),
      plain(
          {"section", "EXPRESSION", "Poincare section: count the points where the expression passes zero", "Watching"},
          AT(section)),
      word<SectionDirection>(
          {"section-direction", "D", "of the section: up (default), down or both", "Watching"}, AT(section_direction),
          "direction",
          {{"up", SectionDirection::up}, {"down", SectionDirection::down}, {"both", SectionDirection::both}}),
      plain({"section-out", "FILE", "write the points of the section to FILE.csv, FILE.npz or FILE.h5", "Watching",
             Later::free},
            AT(section_out)),
      plain({"out", "FILE",
             "write the trajectory to FILE.csv, FILE.npz (arrays of NumPy) or FILE.h5 (HDF5); - is standard output, as "
             "CSV",
             "Output", Later::free},
            AT(out)),
      plain({"record", "LIST",
             "what a record has: names such as x, v_x, lambda_rod, g_rod, psi_rod, hamiltonian, energy, or words such "
             "as coordinates, velocities, multipliers, residuals, monitors; default: coordinates, momenta, states, "
             "observables, monitors",
             "Output"},
            AT(record)),
      plain({"compression", "K", "of .h5 and .npz files, 0 (none, fastest) to 9 (1)", "Output", Later::free},
            AT(compression)),
      plain({"every", "K", "record every K-th step (1)", "Output", Later::free}, AT(every)),
      plain({"sample", "DT",
             "record at the start, DT, 2 DT, ... after it; a fixed step is made smaller where DT is no multiple of it",
             "Output", Later::free},
            AT(sample)),
      plain({"report", "FILE.html", "write an interactive page: plots, the mechanism in motion, the certificate",
             "Output", Later::anew},
            AT(report)),
      plain({"plot", "", "end with a small plot of energy and residuals, in the terminal", "Output", Later::anew},
            AT(plot)),
      plain({"json", "", "print the summary as JSON, and nothing else, on standard output", "Output", Later::anew},
            AT(json)),
      plain({"quiet", "", "print nothing but errors", "Output", Later::anew}, AT(quiet)),
      word<Backend>({"backend", "B", "jit (default) or interpreter", "Evaluation", Later::free}, AT(backend), "backend",
                    {{"jit", Backend::jit}, {"interpreter", Backend::interpreter}}),
      word<Precision>(
          {"precision", "P", "double (default) or quad, which is interpreted; long runs in quad", "Evaluation"},
          AT(precision), "precision",
          {{"double", Precision::usual}, {"long", Precision::quad}, {"quad", Precision::quad}}),
      plain({"checkpoint", "FILE",
             "keep the run in FILE when it ends, fails or is interrupted (Ctrl-C), so that it can be resumed",
             "Checkpoints", Later::anew},
            AT(checkpoint)),
      plain({"checkpoint-every", "K", "write the checkpoint after every K-th step as well", "Checkpoints", Later::free},
            AT(checkpoint_every)),
  };
}

#undef AT

// The values of an option that an editor offers.
std::string schema_of(const Option& option) {
  const std::string text = R"({"type":"string"})", number = R"({"$ref":"#/definitions/value"})";
  switch (option.kind) {
    case RunKind::text:
      return option.words.empty() ? text : fmt::format(R"({{"enum":["{}"]}})", fmt::join(option.words, "\",\""));
    case RunKind::real:
    case RunKind::integer:
      return number;
    case RunKind::flag:
      return R"({"type":"boolean"})";
    case RunKind::list:
      return fmt::format(R"({{"anyOf":[{},{{"type":"array","items":{}}}]}})", text, text);
    case RunKind::reals:
      return fmt::format(R"({{"anyOf":[{},{{"type":"array","minItems":1,"maxItems":2,"items":{}}}]}})", number, number);
  }
  return {};
}

}  // namespace

const std::vector<Option>& options() {
  static const std::vector<Option> all = make_options();
  return all;
}

const Option* find_option(std::string_view name) {
  for (const Option& option : options())
    if (option.name == name) return &option;
  return nullptr;
}

const std::vector<std::string>& later_options() {
  static const Strings all{"threads", "seed"};
  return all;
}

const std::vector<RunKey>& run_keys() {
  static const std::vector<RunKey> all = [] {
    std::vector<RunKey> keys;
    for (const Option& option : options()) keys.push_back({option.name, option.kind});
    return keys;
  }();
  return all;
}

RunValue value_of(const Option& option, const std::string& text) {
  if (option.kind == RunKind::real) return std::stod(text);
  if (option.kind == RunKind::integer) return std::int64_t{std::stoll(text)};
  if (option.kind == RunKind::flag) return text == "true";
  return text;
}

std::size_t next_comma(const std::string& text, std::size_t begin) {
  int depth = 0;
  for (std::size_t k = begin; k < text.size(); ++k) {
    depth += text[k] == '[' || text[k] == '(' ? 1 : text[k] == ']' || text[k] == ')' ? -1 : 0;
    if (text[k] == ',' && depth <= 0) return k;
  }
  return text.size();
}

Strings split_at_commas(const std::string& text) {
  Strings parts;
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

std::string run_schema() {
  Strings properties;
  for (const Option& option : options()) properties.push_back(fmt::format("\"{}\":{}", option.name, schema_of(option)));
  return fmt::format("{{{}}}", fmt::join(properties, ","));
}

}  // namespace cotangent
