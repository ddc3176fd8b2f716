#include "cotangent/manifold/regular_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/elements/legendre.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/manifold/initial_values.hpp"
#include "cotangent/solve/direct/symmetric_solver.hpp"
#include "cotangent/solve/iteration/stopping.hpp"
#include "cotangent/system/black_box/black_box_elements.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "cotangent/system/matrix/hessian.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

// L_vv at a point: its diagonal, and the coordinate behind it if it is singular.
struct Mass {
  std::vector<double> diagonal;
  std::optional<std::int64_t> singular;
};

Mass mass_at(System<double>& system, const InitialValues<double>& initial, const std::vector<double>& v) {
  const std::vector<double>& q = initial.q;
  Hessian<double> L_vv(system, Contraction::Of::L, Space::v, Space::v);
  std::vector<double> values(L_vv.entries().size());
  L_vv.evaluate(system.at(q, initial.t).with(v), values);

  Mass mass{std::vector<double>(q.size(), 0), {}};
  std::map<std::pair<int, int>, double> below;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto i = static_cast<int>(L_vv.entries()[e].row), j = static_cast<int>(L_vv.entries()[e].column);
    if (i == j) mass.diagonal[i] += values[e];
    if (i > j) below[{i, j}] += values[e];
  }
  std::vector<std::pair<int, int>> places;
  std::vector<double> lower;
  for (const auto& [place, value] : below) {
    places.push_back(place);
    lower.push_back(value);
  }
  SymmetricSolver<double> solver(static_cast<int>(q.size()), places);
  // Elimination of a semidefinite matrix leaves a pivot of rounding size: anything that small counts as none.
  if (solver.factor(mass.diagonal.data(), lower.data()).worst_ratio() < rank_tolerance<double>())
    mass.singular = solver.worst_row(mass.diagonal.data());
  return mass;
}

// The velocities that [initial] states, or that the momenta it states have; 0 where there are none.
std::vector<double> initial_velocities(System<double>& system, const InitialValues<double>& initial) {
  std::vector<double> v = initial.v, p = initial.p;
  if (initial.all_by_velocity()) return v;
  for (std::size_t j = 0; j < p.size(); ++j)
    if (initial.by_velocity[j]) p[j] = 0;
  const std::vector<double>& of_momenta = system.legendre()->velocity(initial.q.data(), p.data(), initial.t);
  for (std::size_t j = 0; j < v.size(); ++j) {
    if (!initial.by_velocity[j]) v[j] = of_momenta[j];
    if (!std::isfinite(v[j])) v[j] = 0;
  }
  return v;
}

// Whether L_vv is regular for velocities near the given ones, as that of L = v^4 is near rest.
bool is_regular_nearby(System<double>& system, const InitialValues<double>& initial, std::vector<double> v) {
  const double size = largest_of(v);
  // Small, and in no special direction.
  for (std::size_t j = 0; j < v.size(); ++j)
    v[j] += 0.1 * (size > 0 ? size : 1) * std::cos(1.7 * static_cast<double>(j) + 1);
  return !mass_at(system, initial, v).singular;
}

// For each family of constraints: such that c G'G is of the given size.
std::vector<double> rate_factors(System<double>& system, const InitialValues<double>& initial, double largest) {
  Jacobian<double> G(system);
  std::vector<double> values(G.entries().size()), squares(static_cast<std::size_t>(system.m()), 0);
  G.evaluate(initial.q, initial.t, values);
  for (std::size_t e = 0; e < values.size(); ++e) squares[G.entries()[e].row] += values[e] * values[e];
  std::vector<double> factors;
  for (const Family& family : system.elements().constraints) {
    double mean = 0;
    for (std::int64_t k = 0; k < family.count; ++k) mean += squares[family.row(k)];
    mean /= static_cast<double>(std::max<std::int64_t>(1, family.count));
    factors.push_back(mean > 0 ? largest / mean : 0);
  }
  return factors;
}

// A constraint, with a gradient, along which H does not depend on the momenta: H_pp G' = 0 there.
struct FreeMomentum {
  std::optional<std::int64_t> row;
  double size = 0;  // of H_pp
};

FreeMomentum free_momentum(System<double>& system, const InitialValues<double>& initial, const std::vector<double>& p) {
  if (system.m() > kLimits.full) return {};
  const std::size_t n = p.size();
  std::vector<double> u(static_cast<std::size_t>(system.m()), 0), gradient(n), velocity(n);
  const At<double> at = system.at(initial.q, p, initial.t);
  FreeMomentum found;
  at.H_pp_times(std::vector<double>(n, 1), velocity);
  found.size = largest_of(velocity);
  for (std::size_t r = 0; r < u.size() && !found.row; ++r) {
    u[r] = 1;
    at.Gt_times(u, gradient);
    u[r] = 0;
    at.H_pp_times(gradient, velocity);
    // Rounding, not a body that is heavier than others. Where only G H_pp G' vanishes, since parts of an indefinite
    // H_pp cancel there, momenta along the gradient are not free: velocities depend on them.
    const double size = largest_of(gradient), noise = kNearUnits * epsilon<double>() * size * found.size;
    if (size > 0 && largest_of(velocity) <= noise) found.row = static_cast<std::int64_t>(r);
  }
  return found;
}

// The Hamiltonian with its free momenta fixed by G p = 0.
std::shared_ptr<const Elements> with_fixed_momenta(const std::shared_ptr<Elements>& elements, const Model& model,
                                                   std::vector<std::string>& notes) {
  if (elements->m == 0) return elements;
  System<double> system(elements, Backend::interpreter);
  if (const auto& mass = system.diagonal_mass();
      mass && std::all_of(mass->begin(), mass->end(), [](double w) { return w > 0; }))
    return elements;
  const InitialValues<double> initial = evaluate_initial<double>(model);
  std::vector<double> p = initial.p;
  for (double& x : p)
    if (!std::isfinite(x)) x = 0;
  const FreeMomentum free = free_momentum(system, initial, p);
  if (!free.row || !(free.size > 0)) return elements;
  auto completed = std::make_shared<Elements>(*elements);
  add_constraint_rates(*completed, rate_factors(system, initial, free.size));
  notes.push_back(
      fmt::format("H does not depend on momenta along the gradient of '{}': they are free, and were fixed by G p = 0, "
                  "which the motion does not notice",
                  elements->row_name(*free.row)));
  return completed;
}

}  // namespace

std::shared_ptr<const Elements> regular_elements(const Model& model, std::vector<std::string>& notes) {
  auto elements = std::make_shared<Elements>(extract_elements(model));
  if (model.functions) {
    declare_functions(*elements, model.functions);
    return elements;
  }
  if (elements->dynamics == Dynamics::equations) return elements;
  if (elements->dynamics == Dynamics::hamiltonian) return with_fixed_momenta(elements, model, notes);
  const InitialValues<double> initial = evaluate_initial<double>(model);
  const auto name = [&](const Mass& mass) { return entry_name(model, *mass.singular); };
  System<double> system(elements, Backend::interpreter);
  const std::vector<double> v = initial_velocities(system, initial);
  const Mass mass = mass_at(system, initial, v);
  if (!mass.singular) return elements;
  expect_defined_energy(model, {.q = initial.q, .p = {}, .v = v, .s = {}, .lambda = {}, .t = initial.t});
  if (is_regular_nearby(system, initial, v)) {
    notes.push_back(
        fmt::format("L_vv is singular at the initial velocities (see 'v_{}'), though not near them: methods "
                    "that need its inverse there fail",
                    name(mass)));
    return elements;
  }

  auto completed = std::make_shared<Elements>(*elements);
  try {
    if (elements->m > 0) add_constraint_rates(*completed, rate_factors(system, initial, largest_of(mass.diagonal)));
  } catch (const std::invalid_argument& error) {
    throw refusal(model, model.energy_where, error.what());
  }
  System<double> completed_system(completed, Backend::interpreter);
  const Mass completed_mass = mass_at(completed_system, initial, v);
  if (completed_mass.singular)
    throw refusal(
        model, model.energy_where,
        fmt::format(
            "the second derivatives of the Lagrangian by the velocities, L_vv, are singular at the initial data, "
            "and the constraints do not make up for it: some velocities do not follow from the momenta; see the "
            "velocity 'v_{}'",
            name(completed_mass)),
        "give every velocity a mass, or state the system by its Hamiltonian");
  notes.push_back(
      fmt::format("L_vv is singular (see 'v_{}'), but the constraints make up for it: the squares of their rates were "
                  "added to L, which "
                  "changes neither the motion nor the momenta",
                  name(mass)));
  return completed;
}

}  // namespace cotangent
