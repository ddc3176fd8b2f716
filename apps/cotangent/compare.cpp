#include "cotangent/run/compare/compare.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <utility>

#include "commands.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/run/compare/compare_page.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "messages.hpp"
#include "signals.hpp"

using namespace cotangent;

namespace {

// The parts of a list, each read as the option of a run of the same name would be: what is wrong is said now, not once
// for each run.
std::vector<RunPlan> plans_of_list(const std::string& option, const std::string& list, const Model& model) {
  std::vector<RunPlan> plans;
  for (const std::string& part : split_at_commas(list)) {
    RunWords words(flag);
    words.on_command_line(option, part);
    Model bare = branch(model);
    bare.run.clear();
    bare.run_places.clear();
    Notes notes;
    plans.push_back(plan_run(words, bare, notes));
  }
  return plans;
}

template <class Member>
auto members(const std::vector<RunPlan>& plans, Member member) {
  std::vector<std::remove_cvref_t<decltype(member(plans.front()))>> all;
  for (const RunPlan& plan : plans) all.push_back(member(plan));
  return all;
}

Choices choices_of(const CompareRequest& request, const Model& model) {
  const auto plans = [&](const char* option, const std::string& list) { return plans_of_list(option, list, model); };
  Choices choices;
  choices.methods = members(plans("method", request.methods), [](const RunPlan& plan) { return plan.method; });
  choices.formulations = request.formulations == "all" ? std::vector<std::string>{"all"}
                                                       : members(plans("formulation", request.formulations),
                                                                 [](const RunPlan& plan) { return plan.formulation; });
  choices.projections =
      members(plans("projection", request.projections), [](const RunPlan& plan) { return *plan.projection; });
  choices.steps = members(plans("step", request.steps), [](const RunPlan& plan) { return *plan.step; });
  choices.tolerances =
      members(plans("tolerance", request.tolerances), [](const RunPlan& plan) { return *plan.tolerance; });
  const auto positive = [&](const char* option, const std::string& text, auto& number) {
    const char* end = text.data() + text.size();
    if (!text.empty() && (std::from_chars(text.data(), end, number).ptr != end ||
                          std::from_chars(text.data(), end, number).ec != std::errc() || !(number > 0)))
      throw UsageError(fmt::format("{}: '{}' is no positive number", flag(option), text));
  };
  positive("accuracy", request.accuracy, choices.accuracy);
  positive("threads", request.threads, choices.threads);
  return choices;
}

}  // namespace

int compare(CompareRequest request) {
  const Model model = load_model(find_model(request.model), request.set);
  const Choices choices = choices_of(request, model);
  // The model's own keys of [run] are added run by run.
  Model bare = branch(model);
  bare.run.clear();
  bare.run_places.clear();
  Notes notes;
  RunPlan common = plan_run(request.words, bare, notes);
  common.json = false;
  const std::string report = std::exchange(common.report, {});
  check_report(report, request.words);
  std::optional<ReplacedFile> page;
  if (!report.empty()) page.emplace(report, kPageKind);
  const bool wants_json = request.words.is_given("json");
  const bool shows = is_terminal(stderr) && !wants_json;
  const InterruptGuard guard;
  const auto progress = [&](std::int64_t done, const std::string& now) {
    if (shows) say(fmt::format("\r\033[K{} runs, now {}", done, now));
  };
  const Comparison comparison = compare(model, choices, common, progress, guard.flag());
  if (shows) say("\r\033[K");
  print(with_flags(wants_json ? comparison.json() : comparison.table()));
  if (page) {
    const PageOrigin origin{"compare", "cotangent " COTANGENT_VERSION, request.command};
    PageData data = page_of(comparison, model, origin);
    data.verdict->text = with_flags(data.verdict->text);
    page->replace(page_with(data.text()));
  }
  if (comparison.is_interrupted) say("interrupted: not all runs were made\n");
  return comparison.is_interrupted ? kFailed : kDone;
}
