#include "cotangent/run/check/understanding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/elements/driven.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/monitor/reference/exact_solution.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/certificate/changing_invariants.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/start/alternative.hpp"
#include "cotangent/simulation/start/start.hpp"

namespace cotangent {
namespace {

using Words = std::vector<std::string>;

Words forced_coordinates(const Model& model) {
  Words names;
  for (const auto& c : model.coordinates)
    if (std::any_of(model.forces.begin(), model.forces.end(), [&](const auto& force) { return force.target == c.q; }))
      names.push_back(c.name);
  return names;
}

// Whether q = phi(s, t) keeps the constraints is no question for those who integrate q.
void examine_minimal(Understanding& result, Manifold<double>& manifold) {
  const auto& minimal = result.model.minimal;
  if (!minimal || minimal->dimension() > kLimits.minimal) return;
  try {
    static_cast<void>(find_formulation<double>("lagrange-2").make(manifold));
  } catch (const std::invalid_argument& refusal) {
    result.notes.push_back(fmt::format("the formulation 'lagrange-2' cannot be used: {}", refusal.what()));
  }
}

void examine_initial_data(Understanding& result) {
  System<double> system(result.elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const auto start = make_start(result.model, manifold, InitialPolicy::project, result.notes);
  const auto given = make_initial_data(result.model, manifold, InitialPolicy::as_given);
  result.separable = system.is_separable();
  result.energy_is_kept = system.n() > 0 && !system.has_work();
  result.redundant = redundant_constraints(manifold, start.z);
  result.position_change = start.position_change;
  result.momentum_change = start.momentum_change;
  if (start.is_moved_far)
    result.notes.emplace_back(
        "the initial positions are moved as far as lengths of the system to meet the constraints: look whether the "
        "start is the one that was meant");
  examine_minimal(result, manifold);
  note_exact_mismatch(result.model, start.z, result.notes);
  if (system.m() == 0) return;
  result.position = manifold.position_residual(given.z.q.data(), given.z.t).value;
  result.momentum = manifold.momentum_residual(given.z).value;
}

// In extended precision: what is zero must differ from what is small.
void examine_symmetries(Understanding& result) {
  System<Quad> system(result.elements, Backend::interpreter);
  Manifold<Quad> manifold(system);
  const auto start = make_initial_data(result.model, manifold, InitialPolicy::project);
  result.symmetries = find_symmetries(result.model, manifold, start.z);
}

}  // namespace

std::int64_t Understanding::degrees_of_freedom() const {
  return elements->n - elements->m + static_cast<std::int64_t>(redundant.size());
}

Understanding understand(Model given, RunWords words) {
  const RunPlan plan = plan_run(words, given, given.notes);
  given.start = decimal<Quad>(plan.start);
  // A model may leave the step and the end to the command line.
  if (plan.step && plan.end) check_plan(plan, words);
  Understanding result{.model = std::move(given), .elements = nullptr, .notes = {}};
  const Model& model = result.model;
  result.notes = model.notes;
  result.forced = forced_coordinates(model);
  result.elements = regular_elements(model, result.notes);
  result.is_driven = is_driven(*result.elements);
  examine_initial_data(result);
  if (model.dynamics != Dynamics::equations) examine_symmetries(result);
  for (const RedundantConstraint& dependent :
       dependent_invariants(model, result.elements, declared_invariants(*result.elements)))
    result.notes.push_back("invariants depend on each other at the initial data: " + describe(dependent));
  for (const ChangingInvariant& invariant : changing_invariants(model, result.elements))
    result.notes.push_back(describe(invariant));
  if (model.alternative.valid()) result.alternative = check_alternative(model).energy;
  return result;
}

}  // namespace cotangent
