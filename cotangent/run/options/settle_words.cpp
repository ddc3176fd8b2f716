#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/registry/method_name.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/monitor/registry.hpp"
#include "cotangent/run/options/plan_run.hpp"

namespace cotangent {
namespace {

// Of equations of which nothing else is asked: ten digits or so, which high orders give away cheaply.
constexpr double kUsualTolerance = 1e-9;

// The first formulation in q and p that a method takes: 'standard', mostly.
std::optional<std::string> formulation_of_stages(const std::string& method) {
  const std::vector<std::string> taken = find_method<double>(method).facts.formulations;
  for (const auto& entry : formulations<double>())
    if (entry.facts.is_physical && std::find(taken.begin(), taken.end(), entry.facts.name) != taken.end())
      return entry.facts.name;
  return std::nullopt;
}

// Whether a method that does not go with the projection is another one's choice: that of the model, if the projection
// is the command line's.
bool gives_way(const RunWords& words) {
  return !words.is_on_command_line("method") && words.is_on_command_line("projection");
}

void settle_stages(RunPlan& plan, const RunWords& words, Notes& notes) {
  const std::string usual = "implicit-midpoint";
  if (!plan.method.empty() && !formulation_of_stages(plan.method)) {
    const std::string message =
        fmt::format("the method '{}' has no stages in q and p that could be projected", plan.method);
    if (!gives_way(words))
      words.refuse("projection", message, fmt::format("use {} or rk4, say", words.spell("method", usual)));
    notes.push_back(fmt::format("{}: '{}' is used", message, usual));
    plan.method.clear();
  }
  if (plan.method.empty()) plan.method = usual;
  if (plan.formulation.empty()) plan.formulation = *formulation_of_stages(plan.method);
}

void settle_symmetric(RunPlan& plan, const RunWords& words, Notes& notes) {
  const std::string usual = "gauss:2";
  const std::string method = plan.method.empty() ? usual : plan.method;
  if (parse_method_name(method).word == "symmetric") return;
  try {
    plan.method = find_method<double>(fmt::format("symmetric({})", method)).facts.name;
  } catch (const std::invalid_argument& error) {
    if (!gives_way(words)) words.refuse("projection", error.what());
    plan.method = fmt::format("symmetric({})", usual);
    notes.push_back(fmt::format("{}; '{}' is used", error.what(), plan.method));
  }
}

// Methods that keep invariants themselves keep those that are named, unless a projection is to do so after their steps.
void settle_kept_invariants(RunPlan& plan, const RunWords& words) {
  if (plan.method.empty() || plan.projection || !words.is_given("project-invariants")) return;
  const MethodName method = parse_method_name(plan.method);
  if (!takes_names(method.word) || !method.arguments.empty() || plan.project_invariants.empty()) return;
  for (const std::string& name : plan.project_invariants) plan.method += ":" + name;
  plan.project_invariants.clear();
}

void settle_monitors(RunPlan& plan) {
  if (plan.certify && plan.reference.empty()) plan.reference = "finer:2";
  if (!plan.monitor) {
    plan.monitor.emplace();
    for (const auto& facts : monitors())
      if (facts.is_usual) plan.monitor->push_back(facts.name);
  }
  const auto add = [&](const char* name) {
    if (!plan.is_watched(name)) plan.monitor->emplace_back(name);
  };
  if (plan.certify)
    for (const char* name : {"energy", "position", "momentum", "wedge"}) add(name);
  if (!plan.reference.empty()) add("error");
}

}  // namespace

void settle_words(RunPlan& plan, const RunWords& words, const Model& model, Notes& notes) {
  settle_monitors(plan);
  settle_kept_invariants(plan, words);
  if (model.dynamics == Dynamics::equations && !plan.step && !plan.tolerance) {
    plan.tolerance = kUsualTolerance;
    notes.push_back(fmt::format("neither a step nor a tolerance was given: the tolerance is {:g}", kUsualTolerance));
  }
  if (model.constraints.empty()) return;
  if (plan.projection == Projection::stage) settle_stages(plan, words, notes);
  if (plan.projection == Projection::symmetric) settle_symmetric(plan, words, notes);
}

}  // namespace cotangent
