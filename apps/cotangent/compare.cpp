#include "cotangent/run/compare/compare.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "commands.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/run/compare/choice_texts.hpp"
#include "cotangent/run/compare/compare_page.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "messages.hpp"
#include "page_file.hpp"
#include "signals.hpp"

using namespace cotangent;

int compare(CompareRequest request) {
  const Model model = load_model(find_model(request.model), request.set);
  const Choices choices = choices_of(request.choices, model, flag);
  RunPlan common = plan_without_model(request.words, model);
  common.json = false;
  const std::string report = std::exchange(common.report, {});
  check_report(report, request.words);
  PageFile page(report, "compare", request.command);
  const bool wants_json = request.words.is_given("json");
  const bool shows = is_terminal(stderr) && !wants_json;
  const InterruptGuard guard;
  const auto progress = [&](std::int64_t done, const std::string& now) {
    if (shows) show_progress(fmt::format("{} runs, now {}", done, now));
  };
  const Comparison comparison = compare(model, choices, common, progress, guard.flag());
  if (shows) show_progress();
  print(with_flags(wants_json ? comparison.json() : comparison.table()));
  if (page) {
    PageData data = page_of(comparison, model, page.origin());
    data.verdict->text = with_flags(data.verdict->text);
    page.write(data);
  }
  if (comparison.is_interrupted) say("interrupted: not all runs were made\n");
  return comparison.is_interrupted ? kFailed : kDone;
}
