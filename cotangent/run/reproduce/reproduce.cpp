#include "cotangent/run/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/json_figures.hpp"
#include "cotangent/output/wrapped.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/run.hpp"
#include "cotangent/run/side_by_side.hpp"

namespace cotangent {
namespace {

using Figures = std::map<std::string, double>;

// The figures of a run: all numbers of its JSON summary.
Figures figures_of(const ExperimentRun& run, const ReproduceOptions& options) {
  RunWords words;
  Notes notes;
  const Model model = load_model(options.find_model(run.model), run.set);
  for (const auto& [option, text] : run.options) words.on_command_line(option, text);
  Run made(model, plan_run(words, model, notes));
  made.stop_if(options.stop);
  static_cast<void>(made());
  return json_figures(made.json());
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

// A run that several experiments may share, with what became of it.
struct SharedRun {
  const ExperimentRun* run;
  const Experiment* experiment;
  Figures figures = {};
  std::exception_ptr error = {};
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
      runs[k].figures = figures_of(*runs[k].run, options);
    } catch (...) {
      runs[k].error = std::current_exception();
    }
  });
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
  }
  return result;
}

std::string Reproductions::table() const {
  std::string text;
  std::array<std::int64_t, 3> counts{};
  std::int64_t known = 0;
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
    if (!claim.remark.empty() && checked.verdict != Reproduction::reproduced)
      text += std::string(18, ' ') + wrapped((claim.is_known ? "known: " : "") + claim.remark, 18);
    ++counts[static_cast<std::size_t>(checked.verdict)];
    known += checked.verdict == Reproduction::not_reproduced && claim.is_known;
  }
  text +=
      fmt::format("\n{} claims: {} reproduced, {} not reproduced ({} of them known not to hold), {} not checkable\n",
                  claims.size(), counts[0], counts[1], known, counts[2]);
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
                                                           {"remark", remark}});
                                    }))
             .text() +
         "\n";
}

}  // namespace cotangent
