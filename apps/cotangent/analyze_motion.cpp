#include <fmt/format.h>

#include <utility>

#include "commands.hpp"
#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/analysis.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "messages.hpp"
#include "page_file.hpp"

using namespace cotangent;

int analyze_motion(const AnalyzeRequest& request) {
  Model model = read_model(find_model(request.model), request.set, run_keys());
  RunWords words = request.words;
  const RunPlan plan = plan_run(words, model, model.notes);
  model.start = decimal<Quad>(plan.start);
  PageFile page(request.report, "analyze", request.command);
  std::string text = fmt::format("{}\n", model.title.empty() ? model.name : model.title);
  std::vector<std::pair<std::string, Json>> members{{"model", model.name}};
  std::string failure;
  if (request.stability) {
    const StabilityReport report =
        words.blame("formulation", [&] { return analyze_stability(model, stability_options(plan, words)); });
    text += '\n' + table_of(report);
    members.emplace_back("stability", json_of(report));
  }
  const auto find = [&](const char* name, bool is_relative) {
    const EquilibriumReport report = analyze_equilibrium(model, {.modes = request.modes, .is_relative = is_relative});
    text += '\n' + table_of(report, model);
    members.emplace_back(name, json_of(report, model));
    if (failure.empty()) failure = report.failure;
  };
  if (request.equilibrium) find("equilibrium", false);
  if (request.relative_equilibrium) find("relative_equilibrium", true);
  print(request.json ? Json::object(members).text() + "\n" : with_flags(text));
  if (page) page.write({.origin = page.origin(), .model = &model, .analysis = Json::object(members)});
  if (failure.empty()) return kDone;
  say(fmt::format("error: {}\n", with_flags(failure)));
  return kFailed;
}
