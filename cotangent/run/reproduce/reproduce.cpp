#include "cotangent/run/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/json_figures.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/run/analysis.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/run.hpp"
#include "cotangent/run/side_by_side.hpp"

namespace cotangent {
namespace {

using Figures = std::map<std::string, double>;

// A run that several experiments may share, with what became of it.
struct SharedRun {
  const ExperimentRun* run;
  const Experiment* experiment;
  std::vector<std::string> signals = {};  // that plots show
  Figures figures = {};
  SampleRows rows = {};
  std::exception_ptr error = {};
};

std::vector<double> column(const SampleRows& rows, const std::string& name) {
  const auto at = static_cast<std::size_t>(std::find(rows.names.begin(), rows.names.end(), name) - rows.names.begin());
  std::vector<double> values;
  for (std::size_t k = 0; k < rows.count(); ++k) values.push_back(rows.numbers[k * rows.names.size() + at]);
  return values;
}

// The figures of an analysis: all numbers of its JSON.
Figures answer(const ExperimentRun& asked, const Model& model, const RunPlan& plan, const RunWords& words) {
  if (asked.question == "equilibrium") return json_figures(json_of(analyze_equilibrium(model, {}), model).text());
  return json_figures(json_of(analyze_stability(model, stability_options(plan, words))).text());
}

// The figures of a run: all numbers of its JSON summary; and its signals, where some are shown.
void make(SharedRun& shared, const ReproduceOptions& options) {
  const ExperimentRun& run = *shared.run;
  RunWords words;
  Notes notes;
  const Model model =
      run.text.empty() ? load_model(options.find_model(run.model), run.set) : parse_model(run.text, run.set);
  for (const auto& [option, text] : run.options) words.on_command_line(option, text);
  const RunPlan plan = plan_run(words, model, notes);
  if (!run.question.empty()) {
    shared.figures = answer(run, model, plan, words);
    return;
  }
  Run made(model, plan);
  made.stop_if(options.stop);
  if (shared.signals.empty()) {
    static_cast<void>(made());
  } else {
    shared.rows = made.signals(shared.signals);
  }
  shared.figures = json_figures(made.json());
  for (const std::string& signal : shared.signals) {
    const std::vector<double> values = column(shared.rows, signal);
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    shared.figures["signals." + signal + ".min"] = *least;
    shared.figures["signals." + signal + ".max"] = *most;
    shared.figures["signals." + signal + ".mean"] = sum / static_cast<double>(values.size());
  }
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// An expression in figures of runs, such as "log(a.max.energy/b.max.energy)/log(2)".
class Measurement {
 public:
  Measurement(const Claim& claim, const std::map<std::string, const Figures*>& runs) : claim_(claim), runs_(runs) {}

  double operator()() {
    const std::string text = with_numbers();
    if (is_unknown_) return std::numeric_limits<double>::quiet_NaN();
    static const char* const kNothing =
        "[system]\ncoordinates = [\"q\"]\nhamiltonian = \"p_q\"\n[initial]\nq = 0\np_q = 0\n";
    const Model nothing = parse_model(kNothing);
    return evaluate<double>(read_expression(nothing, text),
                            [&](SymbolId, auto) -> double { refuse("only figures of runs may stand in it", ""); });
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& suggestion) const {
    throw ModelError(claim_.where, message, suggestion);
  }

  // Names with a dot are replaced by the number.
  std::string with_numbers() {
    const std::string& text = claim_.measured;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      const bool is_word = std::isalpha(static_cast<unsigned char>(text[at])) != 0;
      while (is_word && end < text.size() && (is_name(text[end]) || text[end] == '.')) ++end;
      const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
      result += word.find('.') != word.npos && is_word ? number(word) : word;
      at += word.size();
    }
    return result;
  }

  std::string number(const std::string& path) {
    const std::size_t dot = path.find('.');
    const std::string name = path.substr(0, dot), figure = path.substr(dot + 1);
    const auto run = runs_.find(name);
    if (run == runs_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, figures] : runs_) names.push_back(known);
      const UnknownName unknown("run", name, names);
      refuse(unknown.message(), unknown.suggestion());
    }
    const auto found = run->second->find(figure);
    if (found == run->second->end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : *run->second) names.push_back(known);
      const UnknownName unknown(fmt::format("figure of the run '{}'", name), figure, names);
      refuse(unknown.message(), unknown.suggestion());
    }
    is_unknown_ = is_unknown_ || !std::isfinite(found->second);
    return fmt::format("({:.17g})", found->second);
  }

  const Claim& claim_;
  const std::map<std::string, const Figures*>& runs_;
  bool is_unknown_ = false;
};

void make_all(std::vector<SharedRun>& runs, const ReproduceOptions& options) {
  std::mutex said;
  side_by_side(runs.size(), options.threads, options.stop, [&](std::size_t k) {
    if (options.progress) {
      const std::scoped_lock lock(said);
      options.progress(static_cast<std::int64_t>(k), static_cast<std::int64_t>(runs.size()),
                       runs[k].experiment->name + ": " + runs[k].run->name);
    }
    try {
      make(runs[k], options);
    } catch (...) {
      runs[k].error = std::current_exception();
    }
  });
}

// Those that are not there yet; the time always is.
void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (name != "t" && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Of a figure by its path.
double figure(const Figures& figures, const std::string& path, const Location& where) {
  const auto found = figures.find(path);
  if (found != figures.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, value] : figures) names.push_back(known);
  const UnknownName unknown("figure", path, names);
  throw ModelError(where, unknown.message(), unknown.suggestion());
}

// At most so many points of a line are shown, and of an orbit.
constexpr std::size_t kPoints = 1600, kOrbit = 4000;

// Six digits: a plot shows three.
double rounded(double x) { return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr); }

// A line over x: of pieces with equally many points the smallest and the largest y remain, in their order.
void thin(PlottedLines::Line& line) {
  const std::size_t size = line.x.size(), pieces = kPoints / 2;
  PlottedLines::Line kept{.label = line.label, .x = {}, .y = {}};
  const auto keep = [&](std::ptrdiff_t k) {
    kept.x.push_back(rounded(line.x[static_cast<std::size_t>(k)]));
    kept.y.push_back(rounded(line.y[static_cast<std::size_t>(k)]));
  };
  if (size <= kPoints) {
    for (std::size_t k = 0; k < size; ++k) keep(static_cast<std::ptrdiff_t>(k));
    line = std::move(kept);
    return;
  }
  const auto at = [&](std::size_t k) { return line.y.begin() + static_cast<std::ptrdiff_t>(k); };
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto [low, high] = std::minmax_element(at(piece * size / pieces), at((piece + 1) * size / pieces));
    keep(std::min(low, high) - at(0));
    if (low != high) keep(std::max(low, high) - at(0));
  }
  line = std::move(kept);
}

// An orbit: every so manieth point, as a dot.
void thin_orbit(PlottedLines::Line& line) {
  const std::size_t size = line.x.size(), step = (size + kOrbit - 1) / kOrbit;
  PlottedLines::Line kept{.label = line.label, .x = {}, .y = {}, .is_dotted = step > 1};
  for (std::size_t k = 0; k < size; k += std::max<std::size_t>(step, 1)) {
    kept.x.push_back(rounded(line.x[k]));
    kept.y.push_back(rounded(line.y[k]));
  }
  line = std::move(kept);
}

// @param find(run) what became of it.
template <class Find>
PlottedLines::Line plotted(const Experiment& experiment, const ExperimentPlot::Line& wanted, const Find& find) {
  PlottedLines::Line line{.label = wanted.label, .x = {}, .y = {}};
  for (const ExperimentRun& run : experiment.runs) {
    if (run.name == wanted.run) {
      const SampleRows& rows = find(run)->rows;
      line.x = column(rows, wanted.of.size() == 2 ? wanted.of.front() : "t");
      line.y = column(rows, wanted.of.back());
      wanted.of.size() == 2 ? thin_orbit(line) : thin(line);
      return line;
    }
    if (run.family != wanted.run) continue;
    const Figures& figures = find(run)->figures;
    line.x.push_back(wanted.of.size() == 2 ? figure(figures, wanted.of.front(), wanted.where) : run.value);
    line.y.push_back(figure(figures, wanted.of.back(), wanted.where));
  }
  return line;
}

Reproduction verdict_on(const Claim& claim, double measured) {
  if (claim.measured.empty()) return Reproduction::not_checkable;
  return measured >= claim.least && measured <= claim.most ? Reproduction::reproduced : Reproduction::not_reproduced;
}

}  // namespace

const char* describe(Reproduction verdict) {
  return std::array{"reproduced", "not reproduced", "not checkable"}[static_cast<std::size_t>(verdict)];
}

Reproductions reproduce(const std::vector<Experiment>& experiments, const ReproduceOptions& options) {
  std::vector<SharedRun> runs;
  const auto find = [&](const ExperimentRun& run) {
    return std::find_if(runs.begin(), runs.end(), [&](const SharedRun& other) { return other.run->is_same_as(run); });
  };
  for (const Experiment& experiment : experiments)
    for (const ExperimentRun& run : experiment.runs)
      if (find(run) == runs.end()) runs.push_back({&run, &experiment});
  for (const Experiment& experiment : experiments)
    for (const ExperimentRun& run : experiment.runs) add_new(find(run)->signals, run.signals);
  for (const Experiment& experiment : experiments)
    for (const ExperimentPlot& plot : experiment.plots)
      for (const ExperimentPlot::Line& line : plot.lines)
        for (const ExperimentRun& run : experiment.runs)
          if (options.makes_plots && run.name == line.run) add_new(find(run)->signals, line.of);
  make_all(runs, options);
  Reproductions result;
  if (options.stop && *options.stop != 0) {
    result.is_interrupted = true;
    return result;
  }
  for (const Experiment& experiment : experiments) {
    std::map<std::string, const Figures*> figures;
    for (const ExperimentRun& run : experiment.runs) {
      const auto made = find(run);
      try {
        if (made->error) std::rethrow_exception(made->error);
      } catch (const std::invalid_argument& error) {
        throw ModelError(run.where, fmt::format("the run '{}' cannot be made: {}", run.name, error.what()));
      }
      figures[run.name] = &made->figures;
    }
    for (const Claim& claim : experiment.claims) {
      const double measured =
          claim.measured.empty() ? std::numeric_limits<double>::quiet_NaN() : Measurement(claim, figures)();
      result.claims.push_back({&experiment, &claim, measured, verdict_on(claim, measured)});
    }
    for (std::size_t k = 0; options.makes_plots && k < experiment.plots.size(); ++k) {
      PlottedLines made{&experiment, &experiment.plots[k], {}};
      for (const ExperimentPlot::Line& line : made.plot->lines) made.lines.push_back(plotted(experiment, line, find));
      result.plots.push_back(std::move(made));
    }
  }
  return result;
}

std::string Reproductions::counts() const {
  std::array<std::int64_t, 3> counts{};
  std::int64_t known = 0, times = 0;
  for (const CheckedClaim& checked : claims) {
    ++counts[static_cast<std::size_t>(checked.verdict)];
    if (checked.verdict != Reproduction::not_reproduced) continue;
    if (checked.claim->is_known) {
      ++known;
    } else if (checked.claim->is_of_time) {
      ++times;
    }
  }
  std::string not_held = fmt::format("{} of them known not to hold", known);
  if (times > 0) not_held += fmt::format(", {} of them times", times);
  return fmt::format("{} claims: {} reproduced, {} not reproduced ({}), {} not checkable", claims.size(), counts[0],
                     counts[1], not_held, counts[2]);
}

std::string Reproductions::table() const {
  std::string text;
  const Experiment* last = nullptr;
  for (const CheckedClaim& checked : claims) {
    const Claim& claim = *checked.claim;
    if (checked.experiment != last) {
      last = checked.experiment;
      text += fmt::format("\n{}: {}\n", last->name, last->title);
      text += fmt::format("  {:<16}{:>12}{:>12}  {}\n", "verdict", "printed", "measured", "claim");
    }
    const auto figure = [](const std::optional<double>& x) {
      return x && std::isfinite(*x) ? fmt::format("{:.5g}", *x) : std::string("-");
    };
    text += fmt::format("  {:<16}{:>12}{:>12}  {}{}\n", describe(checked.verdict), figure(claim.printed),
                        figure(checked.measured), claim.text,
                        claim.tolerance.empty() ? "" : fmt::format(" ({})", claim.tolerance));
    if (checked.verdict == Reproduction::not_reproduced && claim.is_of_time)
      text += fmt::format("{:18}a time: it depends on the machine, and on what else that does\n", "");
    if (!claim.remark.empty() && checked.verdict != Reproduction::reproduced)
      text += std::string(18, ' ') + wrapped((claim.is_known ? "known: " : "") + claim.remark, 18);
  }
  text += fmt::format("\n{}\n", counts());
  return text.substr(text.starts_with('\n'));
}

std::string Reproductions::json() const {
  return Json::long_list(Json::each(claims,
                                    [](const CheckedClaim& checked) {
                                      const Claim& claim = *checked.claim;
                                      const auto remark =
                                          claim.remark.empty() ? std::nullopt : std::optional(claim.remark);
                                      return Json::object({{"experiment", checked.experiment->name},
                                                           {"claim", claim.text},
                                                           {"printed", claim.printed},
                                                           {"measured", checked.measured},
                                                           {"tolerance", claim.tolerance},
                                                           {"verdict", describe(checked.verdict)},
                                                           {"known", claim.is_known},
                                                           {"of_time", claim.is_of_time},
                                                           {"remark", remark}});
                                    }))
             .text() +
         "\n";
}

}  // namespace cotangent
