#include "cotangent/run/analysis.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cotangent/analyze/paper/equations.hpp"
#include "cotangent/analyze/written_out/written_out.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {
namespace {

// Coordinates and imposed constraints of systems that are still analysed in symbols.
constexpr std::size_t kSmall = 12;

// Coordinates of systems of other kinds.
constexpr std::int64_t kWritten = 200;

bool is_small(const Model& model) {
  auto size = static_cast<std::size_t>(model.dimension());
  if (size > kSmall) return false;
  WrittenOut written(model);
  for (const auto& constraint : model.constraints) size += written.all(constraint).size();
  return size <= kSmall;
}

std::optional<ImposedConstraints> by_rank(const Model& model, const std::vector<std::string>& brackets) {
  if (model.incomplete) throw ModelError(*model.incomplete);
  return imposed_constraints(model, brackets);
}

}  // namespace

Analysis::Analysis(const Model& model, const volatile std::sig_atomic_t* stop) : model_(model) {
  const bool is_imposed =
      !model.constraints.empty() && model.primary_constraints.empty() && model.gauge.empty() && !model.functions;
  if (is_imposed && !is_small(model)) ranks_ = by_rank(model, {});
  if (ranks_) return;
  if (model.dimension() > kWritten)
    throw std::invalid_argument(
        fmt::format("constraints in phase space are analysed in symbols, for up to {} coordinates; the system has {}",
                    kWritten, model.dimension()));
  symbols_ = std::make_unique<DiracAlgorithm>(model, stop);
  if (is_imposed && !symbols_->undecided().empty()) ranks_ = by_rank(model, {});
}

void Analysis::add_brackets(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  if (!ranks_) {
    for (const std::string& text : texts) brackets_.push_back(symbols_->bracket(text));
    return;
  }
  std::vector<std::string> all = texts;
  for (const auto& [text, value] : ranks_->brackets)
    all.insert(all.end() - static_cast<std::ptrdiff_t>(texts.size()), text);
  ranks_ = by_rank(model_, all);
}

DiracBracket Analysis::bracket(const std::string& text) {
  add_brackets({text});
  if (!ranks_) return brackets_.back();
  const auto& [found, value] = ranks_->brackets.back();
  return {.text = found, .value = value};
}

DiracReport Analysis::report() {
  BracketLaws laws;
  if (!brackets_.empty() && symbols_->is_settled()) laws = symbols_->check_laws();
  return {*symbols_, brackets_, laws};
}

std::string Analysis::text(bool latex) {
  if (ranks_) return text_of(*ranks_);
  std::string text = text_of(report(), latex);
  if (latex) text += '\n' + latex_of(equations_for_papers(model_));
  return text;
}

std::string Analysis::json() {
  std::vector<std::pair<std::string, Json>> members{{"model", model_.name}, {"title", model_.title}};
  const auto add = [&](const std::vector<std::pair<std::string, Json>>& more) {
    members.insert(members.end(), more.begin(), more.end());
  };
  add(ranks_ ? json_of(*ranks_) : json_of(report()));
  members.emplace_back("equations", json_of(equations_for_papers(model_)));
  return Json::object(members).text();
}

StabilityOptions stability_options(const RunPlan& plan, const RunWords& words) {
  constexpr double kSteps = 4000;
  StabilityOptions options{.equations = plan.formulation_options()};
  if (words.is_on_command_line("formulation")) options.formulations = {plan.formulation};
  if (!plan.end) return options;
  options.duration = *plan.end - plan.start;
  if (!(options.duration > 0)) words.refuse("end", "the motion is followed forwards: its end is not after its start");
  options.step = plan.step.value_or(options.duration / kSteps);
  return options;
}

}  // namespace cotangent
