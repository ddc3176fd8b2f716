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

}  // namespace

Analysis::Analysis(const Model& stated, const std::function<Model()>& complete, bool in_symbols) : model_(stated) {
  const bool is_imposed =
      !stated.constraints.empty() && stated.primary_constraints.empty() && stated.gauge.empty() && !stated.functions;
  if (is_imposed && !is_small(stated)) {
    if (in_symbols)
      throw std::invalid_argument(fmt::format(
          "Dirac brackets are found in symbols, for systems of up to {} coordinates and constraints", kSmall));
    ranks_ = imposed_constraints(complete());
    if (ranks_) return;
  }
  if (stated.dimension() > kWritten)
    throw std::invalid_argument(
        fmt::format("constraints in phase space are analysed in symbols, for up to {} coordinates; the system has {}",
                    kWritten, stated.dimension()));
  symbols_ = std::make_unique<DiracAlgorithm>(stated);
  if (!is_imposed || symbols_->undecided().empty() || in_symbols) return;
  ranks_ = imposed_constraints(complete());
  if (ranks_) symbols_.reset();
}

DiracBracket Analysis::bracket(const std::string& text) {
  brackets_.push_back(symbols_->bracket(text));
  return brackets_.back();
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
