#include "understanding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/monitor/exact_solution.hpp"
#include "cotangent/simulation/alternative.hpp"
#include "cotangent/simulation/changing_invariants.hpp"
#include "cotangent/simulation/start.hpp"

using namespace cotangent;

namespace {

bool any_uses_time(const std::vector<Family>& families) {
  return std::any_of(families.begin(), families.end(), [](const Family& f) { return f.uses(Space::t); });
}

std::vector<std::string> forced_coordinates(const Model& model) {
  std::vector<std::string> names;
  for (const auto& c : model.coordinates)
    if (std::any_of(model.forces.begin(), model.forces.end(), [&](const auto& force) { return force.target == c.q; }))
      names.push_back(c.name);
  return names;
}

// Beyond, a look at the full matrix of minimal coordinates takes too long for a check.
constexpr std::int64_t kMostMinimal = 200;

// Whether q = phi(s, t) keeps the constraints is no question for those who integrate q.
void examine_minimal(Understanding& result, Manifold<double>& manifold) {
  const auto& minimal = result.model.minimal;
  if (!minimal || minimal->dimension() > kMostMinimal) return;
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
  result.energy_is_kept = !system.has_work();
  result.redundant = redundant_constraints(manifold, start.z);
  result.position_change = start.position_change;
  result.momentum_change = start.momentum_change;
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

std::int64_t degrees_of_freedom(const Understanding& u) {
  return u.elements->n - u.elements->m + static_cast<std::int64_t>(u.redundant.size());
}

std::vector<std::string> exact_names(const Model& model) {
  std::vector<std::string> names;
  for (const auto& assignment : model.exact) {
    const std::string& name = model.graph->symbol(assignment.target).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Understanding understand(const Model& model) {
  Understanding result{.model = model, .elements = nullptr, .notes = model.notes, .forced = forced_coordinates(model)};
  result.elements = regular_elements(model, result.notes);
  result.is_driven = !result.elements->is_autonomous() || any_uses_time(result.elements->forces) ||
                     any_uses_time(result.elements->dissipation) || any_uses_time(result.elements->rates);
  examine_initial_data(result);
  examine_symmetries(result);
  for (const ChangingInvariant& invariant : changing_invariants(model, result.elements))
    result.notes.push_back(describe(invariant));
  if (model.alternative.valid()) result.alternative = check_alternative(model).energy;
  return result;
}
