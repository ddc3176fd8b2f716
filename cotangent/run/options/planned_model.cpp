#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/monitor/discovery/symmetry.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/start/alternative.hpp"

namespace cotangent {
namespace {

Model alternative_of(const Model& model, const RunWords& words) {
  if (!model.alternative.valid())
    words.refuse("hamiltonian", "the model has no alternative Hamiltonian",
                 "add hamiltonian_alternative = \"...\" to [system], beside the hamiltonian");
  const AlternativeReport report = check_alternative(model);
  Model result = with_alternative(model);
  result.notes.push_back(
      fmt::format("the alternative Hamiltonian is integrated, and monitored as the energy; at {} points of the "
                  "constraint manifold it differs from H by {:.1g} at most",
                  report.points, report.energy));
  return result;
}

// "angular momentum about z" as angular_momentum_z; the second of two is angular_momentum_z_2.
std::string invariant_name(const Model& model, std::string text) {
  for (const std::string word : {" along ", " about "})
    if (const auto at = text.find(word); at != text.npos) text.replace(at, word.size(), "_");
  std::replace(text.begin(), text.end(), ' ', '_');
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(model.invariants.begin(), model.invariants.end(),
                       [&](const auto& invariant) { return invariant.name == name; });
  };
  std::string name = text;
  for (int k = 2; is_taken(name); ++k) name = fmt::format("{}_{}", text, k);
  return name;
}

// In extended precision: what is zero must differ from what is small.
Symmetries symmetries_of(const Model& model) {
  std::vector<std::string> notes;  // told for the run itself
  System<Quad> system(regular_elements(model, notes), Backend::interpreter);
  Manifold<Quad> manifold(system);
  return find_symmetries(model, manifold, make_initial_data(model, manifold, InitialPolicy::project).z);
}

// For `monitor = symmetries`: adds the momenta that symmetries of the model conserve to its invariants.
void watch_symmetries(Model& model, const RunPlan& plan, const RunWords& words) {
  if (!plan.is_watched("symmetries") || model.dynamics == Dynamics::equations) return;
  const Symmetries found = symmetries_of(model);
  if (!found.were_sought) {
    model.notes.emplace_back(
        "momenta that symmetries conserve were not sought: the system is too large, or no points near its start were "
        "found");
    return;
  }
  if (found.momenta.empty()) {
    model.notes.emplace_back("no momenta were found that symmetries of the model conserve");
    return;
  }
  std::string list;
  for (const auto& momentum : found.momenta) {
    NamedValues value;
    value.name = invariant_name(model, momentum.name);
    value.components = {read_option_expression(words, model, "monitor", momentum.expression)};
    list += fmt::format("{}{} = {}{}", list.empty() ? "" : "; ", value.name, momentum.expression,
                        momentum.is_local ? " (near the initial data)" : "");
    model.invariants.push_back(std::move(value));
  }
  model.notes.push_back(fmt::format("symmetries conserve, and the run watches: {}", list));
}

}  // namespace

Model planned_model(Model model, const RunPlan& plan, const RunWords& words) {
  model.start = decimal<Quad>(plan.start);
  if (plan.hamiltonian == WhichHamiltonian::alternative) model = alternative_of(model, words);
  watch_symmetries(model, plan, words);
  return model;
}

}  // namespace cotangent
