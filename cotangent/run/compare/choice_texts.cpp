#include "cotangent/run/compare/choice_texts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"

namespace cotangent {
namespace {

// The parts of a list, each read as the option of a run of the same name would be: what is wrong is said now, not once
// for each run.
std::vector<RunPlan> plans_of_list(const std::string& option, const std::string& list, const Model& model,
                                   RunWords::Spelling spelling) {
  std::vector<RunPlan> plans;
  for (const std::string& part : split_at_commas(list)) {
    RunWords words(spelling);
    words.on_command_line(option, part);
    plans.push_back(plan_without_model(words, model));
  }
  return plans;
}

template <class Member>
auto members(const std::vector<RunPlan>& plans, Member member) {
  std::vector<std::remove_cvref_t<decltype(member(plans.front()))>> all;
  for (const RunPlan& plan : plans) all.push_back(member(plan));
  return all;
}

}  // namespace

RunPlan plan_without_model(RunWords& words, const Model& model) {
  Model bare = branch(model);
  bare.run.clear();
  bare.run_places.clear();
  Notes notes;
  return plan_run(words, bare, notes);
}

Choices choices_of(const ChoiceTexts& texts, const Model& model, RunWords::Spelling spelling) {
  const auto plans = [&](const char* option, const std::string& list) {
    return plans_of_list(option, list, model, spelling);
  };
  Choices choices;
  choices.methods = members(plans("method", texts.methods), [](const RunPlan& plan) { return plan.method; });
  choices.formulations = texts.formulations == "all" ? std::vector<std::string>{"all"}
                                                     : members(plans("formulation", texts.formulations),
                                                               [](const RunPlan& plan) { return plan.formulation; });
  choices.projections =
      members(plans("projection", texts.projections), [](const RunPlan& plan) { return *plan.projection; });
  choices.steps = members(plans("step", texts.steps), [](const RunPlan& plan) { return *plan.step; });
  choices.tolerances =
      members(plans("tolerance", texts.tolerances), [](const RunPlan& plan) { return *plan.tolerance; });
  const auto positive = [&](const char* option, const std::string& text, auto& number) {
    const char* end = text.data() + text.size();
    if (!text.empty() && (std::from_chars(text.data(), end, number).ptr != end ||
                          std::from_chars(text.data(), end, number).ec != std::errc() || !(number > 0)))
      throw OptionError(fmt::format("{}: '{}' is no positive number", spelling(option, {}), text));
  };
  positive("accuracy", texts.accuracy, choices.accuracy);
  positive("threads", texts.threads, choices.threads);
  return choices;
}

}  // namespace cotangent
