#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/analyze/stability/stability.hpp"
#include "cotangent/analyze/written_out/written_out.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

// The motion that is followed is that of a run: 4000 steps unless it has other ones.
StabilityReport stability_of(const AnalyzeRequest& request, Model model) {
  RunWords words = request.words;
  const RunPlan plan = plan_run(words, model, model.notes);
  model.start = decimal<Quad>(plan.start);
  StabilityOptions options{.equations = plan.formulation_options()};
  if (!plan.formulation.empty() && words.is_on_command_line("formulation"))
    options.formulations = {plan.formulation};
  if (plan.end) {
    options.duration = *plan.end - plan.start;
    options.step = plan.step.value_or(options.duration / 4000);
  }
  return analyze_stability(model, options);
}

}  // namespace

int analyze(const AnalyzeRequest& request) {
  const Model model = read_model(find_model(request.model), request.set, run_keys());
  const std::string title = fmt::format("{}\n\n", model.title.empty() ? model.name : model.title);
  if (request.stability) {
    const StabilityReport report = stability_of(request, model);
    print(request.json ? Json::object({{"model", model.name}, {"stability", json_of(report)}}).text() + "\n"
                       : title + with_flags(table_of(report)));
    return kDone;
  }
  if (request.equilibrium || request.relative_equilibrium) {
    const EquilibriumReport report =
        analyze_equilibrium(model, {.modes = request.modes, .is_relative = request.relative_equilibrium});
    print(request.json ? Json::object({{"model", model.name}, {"equilibrium", json_of(report, model)}}).text() + "\n"
                       : title + with_flags(table_of(report, model)));
    return report.failure.empty() ? kDone : kFailed;
  }
  const WrittenOut written(model);
  print(fmt::format("{}\n\n  coordinates         {}\n", model.title.empty() ? model.name : model.title,
                    written.coordinates().size()));
  return kDone;
}
