#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/minimal_coordinates.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/doubled.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/simulation/watch/stiffness.hpp"

namespace cotangent {

namespace {

constexpr int kUsualOrder = 4;
// Tolerances below this are for higher orders.
constexpr double kTightTolerance = 1e-8;

int structure_kept(const MethodFacts& facts) {
  return 4 * facts.symplectic + 2 * (facts.keeps_position && facts.keeps_momentum) + 1 * facts.symmetric;
}

std::string virtues(const MethodFacts& facts, const RunPlan& plan) {
  std::vector<std::string> words;
  const bool in_charts = plan.formulation.starts_with("state-space");
  if (facts.symplectic) words.emplace_back(in_charts ? "symplectic within a chart" : "symplectic");
  if (facts.symmetric) words.emplace_back("symmetric");
  words.push_back(fmt::format("order {}", facts.order));
  if (facts.keeps_position && facts.keeps_momentum) words.emplace_back("keeps the constraints");
  if (facts.error_order > 0) words.emplace_back("estimates its error");
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class T>
bool takes(const Method<T>& method, const std::string& formulation) {
  const auto& names = method.facts.formulations;
  return std::find(names.begin(), names.end(), formulation) != names.end();
}

template <class T>
std::string methods_for(const std::string& formulation) {
  std::vector<std::string> names;
  for (const auto& method : methods<T>())
    if (takes(method, formulation)) names.push_back(method.facts.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class T>
std::unique_ptr<Integrator<T>> make_as_wished(Manifold<T>& manifold, const RunPlan& plan, const RunWords& words) {
  const Method<T> method = find_method<T>(plan.method);
  if (!plan.formulation.empty() && !takes(method, plan.formulation))
    words.refuse("formulation",
                 fmt::format("the method '{}' does not take the formulation '{}'", plan.method, plan.formulation),
                 fmt::format("use {}, or one of the methods that take '{}': {}",
                             words.spell("formulation", method.facts.formulations.front()), plan.formulation,
                             methods_for<T>(plan.formulation)));
  try {
    return make_under(plan, method, manifold);
  } catch (const MinimalError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    // Whoever names a formulation is told what is wrong with it.
    words.refuse(plan.formulation.empty() ? "method" : "formulation", error.what());
  }
}

// With a tolerance, explicit methods that estimate their errors come first, those of higher order before others up to
// eight: what suits a run that is to be accurate, and equations of which no structure is known. Otherwise what keeps
// most of the structure suits a run that is to be long, with an order that suits most purposes.
std::pair<int, int> rank(const MethodFacts& facts, const RunPlan& plan, bool is_ode) {
  if (plan.tolerance || is_ode) {
    constexpr int kHighest = 8;
    return {2 * facts.is_explicit + (facts.is_explicit && facts.error_order > 0),
            facts.order <= kHighest ? facts.order : 0};
  }
  return {structure_kept(facts), plan.formulation.empty() ? 0 : -std::abs(facts.order - kUsualOrder)};
}

const FormulationFacts& facts_of_formulation(const std::string& name) {
  static const FormulationFacts direct = direct_facts();
  return name == direct.name ? direct : find_formulation<double>(name).facts;
}

// The most that a method may claim under a formulation. Its sheet is that of its default formulation: constraints that
// this one keeps are not the method's merit.
MethodFacts at_most(MethodFacts facts, const FormulationFacts& formulation) {
  const bool is_direct = formulation.name == direct_facts().name;
  facts.symplectic = facts.symplectic && (is_direct || formulation.hamiltonian);
  facts.symmetric = facts.symmetric && formulation.reversible;
  const FormulationFacts& usual = facts_of_formulation(facts.formulations.front());
  facts.keeps_position = formulation.on_position || (facts.keeps_position && !usual.on_position);
  facts.keeps_momentum = formulation.on_momentum || (facts.keeps_momentum && !usual.on_momentum);
  return facts;
}

// Of those that can be made the best under the formulation that was asked for or, without one, the best by its sheet.
// Making one takes its time: those that cannot be better are left out.
template <class T>
std::unique_ptr<Integrator<T>> best_method(Manifold<T>& manifold, const RunPlan& plan, const RunWords& words) {
  const bool is_free = plan.formulation.empty();
  const bool is_ode = manifold.system().elements().dynamics == Dynamics::equations;
  const auto rank_of = [&](const MethodFacts& facts) { return rank(facts, plan, is_ode); };
  std::vector<std::pair<std::pair<int, int>, const Method<T>*>> candidates;
  for (const auto& method : methods<T>())
    if (is_free || takes(method, plan.formulation))
      candidates.emplace_back(
          rank_of(is_free ? method.facts : at_most(method.facts, facts_of_formulation(plan.formulation))), &method);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::unique_ptr<Integrator<T>> best;
  std::string refusals, last;
  for (const auto& [most, method] : candidates) {
    if (best && (is_free || rank_of(best->facts()) >= most)) break;
    try {
      auto made = make_under(plan, *method, manifold);
      if (!best || rank_of(made->facts()) > rank_of(best->facts())) best = std::move(made);
    } catch (const std::invalid_argument& error) {
      if (!is_free && dynamic_cast<const MinimalError*>(&error)) throw;
      last = error.what();
      refusals += "\n  " + last;
    }
  }
  if (!best && is_free) throw OptionError("no method can take this system:" + refusals);
  if (!best) words.refuse("formulation", last);
  return best;
}

// For a stiff system, in the place of an explicit method that was chosen for its accuracy.
template <class T>
std::unique_ptr<Integrator<T>> stiff_method(Manifold<T>& manifold, const RunPlan& plan, const MethodFacts& chosen,
                                            const std::function<PhasePoint<T>()>& start, std::string& why) {
  if (!plan.tolerance || !chosen.is_explicit) return nullptr;
  const Method<T> method = find_method<T>(*plan.tolerance < kTightTolerance ? "radau-iia:5" : "radau-iia:3");
  if (!plan.formulation.empty() && !takes(method, plan.formulation)) return nullptr;
  try {
    auto made = make_under(plan, method, manifold);
    const ProjectionPolicy policy{.projection = default_projection(chosen, manifold.system().m())};
    const auto rehearsed =
        with_projection(with_estimate(make_under(plan, find_method<T>(chosen.name), manifold)), manifold, policy);
    const auto step = stiff_step(*rehearsed, *made, manifold, plan.adaptive(), start());
    if (!step) return nullptr;
    why = fmt::format("the system is stiff: a step of {:.2g} is accurate enough, but '{}' needs shorter ones", *step,
                      chosen.name);
    return made;
  } catch (const std::invalid_argument&) {
    // A start that is none is refused where it is used.
    return nullptr;
  }
}

}  // namespace

template <class T>
std::unique_ptr<Integrator<T>> choose_method(Manifold<T>& manifold, const RunPlan& plan, const RunWords& words,
                                             Notes& notes, const std::function<PhasePoint<T>()>& start) {
  const bool has_formulation = !plan.formulation.empty();
  if (!plan.method.empty()) {
    // A formulation of the command line wins over the method of the model.
    const bool is_overruled = has_formulation && words.is_on_command_line("formulation") &&
                              !words.is_on_command_line("method") &&
                              !takes(find_method<T>(plan.method), plan.formulation);
    if (!is_overruled) return make_as_wished(manifold, plan, words);
    notes.push_back(
        fmt::format("the model's method '{}' does not take the formulation '{}'", plan.method, plan.formulation));
  }
  auto chosen = best_method(manifold, plan, words);
  std::string why;
  if (auto stiff = stiff_method(manifold, plan, chosen->facts(), start, why)) chosen = std::move(stiff);
  notes.push_back(fmt::format("no method was given{}: '{}' was chosen ({}){}{}",
                              has_formulation ? fmt::format(" for '{}'", plan.formulation) : "", chosen->facts().name,
                              virtues(chosen->facts(), plan), why.empty() ? "" : "; ", why));
  return chosen;
}

#define COTANGENT_FUNCTIONS(T)                                                                                 \
  template std::unique_ptr<Integrator<T>> choose_method(Manifold<T>&, const RunPlan&, const RunWords&, Notes&, \
                                                        const std::function<PhasePoint<T>()>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
