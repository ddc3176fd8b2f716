#include "cotangent/manifold/regular_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "cotangent/elements/legendre.hpp"
#include "cotangent/manifold/initial_values.hpp"
#include "cotangent/solve/linear_solver.hpp"
#include "cotangent/system/hessian.hpp"
#include "cotangent/system/jacobian.hpp"

namespace cotangent {
namespace {

// L_vv at a point: its diagonal, and the coordinate whose pivot is not positive, if there is one.
struct Mass {
  std::vector<double> diagonal;
  std::optional<std::int64_t> singular;
};

Mass mass_at(System<double>& system, const std::vector<double>& q, const std::vector<double>& v) {
  Hessian<double> L_vv(system, Contraction::Of::L, Space::v, Space::v);
  std::vector<double> values(L_vv.entries().size());
  Frame<double> frame = system.frame();
  frame.in[in::q] = q.data();
  frame.in[in::v] = v.data();
  L_vv.evaluate(frame, values.data());

  Mass mass{std::vector<double>(q.size(), 0), {}};
  std::map<std::pair<int, int>, double> below;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto i = static_cast<int>(L_vv.entries()[e].row), j = static_cast<int>(L_vv.entries()[e].column);
    if (i == j) mass.diagonal[static_cast<std::size_t>(i)] += values[e];
    if (i > j) below[{i, j}] += values[e];
  }
  std::vector<std::pair<int, int>> places;
  std::vector<double> lower;
  for (const auto& [place, value] : below) {
    places.push_back(place);
    lower.push_back(value);
  }
  LinearSolver<double> solver(static_cast<int>(q.size()), places);
  // Elimination of a semidefinite matrix leaves a pivot of rounding size: anything that small counts as none.
  constexpr double kLeast = 1e-10;
  if (solver.factor(mass.diagonal.data(), lower.data()).worst_ratio() < kLeast)
    mass.singular = solver.worst_pivot(mass.diagonal.data()).row;
  return mass;
}

// For each family of constraints: such that c G'G is of the size of the masses.
std::vector<double> rate_factors(System<double>& system, const std::vector<double>& q, const Mass& mass) {
  double largest = 0;
  for (const double m : mass.diagonal) largest = std::max(largest, std::abs(m));
  Jacobian<double> G(system);
  std::vector<double> values(G.entries().size()), squares(static_cast<std::size_t>(system.m()), 0);
  G.evaluate(q.data(), 0.0, values.data());
  for (std::size_t e = 0; e < values.size(); ++e)
    squares[static_cast<std::size_t>(G.entries()[e].row)] += values[e] * values[e];
  std::vector<double> factors;
  for (const Family& family : system.elements().constraints) {
    double mean = 0;
    for (std::int64_t k = 0; k < family.count; ++k) mean += squares[static_cast<std::size_t>(family.row(k))];
    mean /= static_cast<double>(std::max<std::int64_t>(1, family.count));
    factors.push_back(mean > 0 ? largest / mean : 0);
  }
  return factors;
}

}  // namespace

std::shared_ptr<const Elements> regular_elements(const Model& model, std::vector<std::string>& notes) {
  auto elements = std::make_shared<Elements>(extract_elements(model));
  if (elements->dynamics == Dynamics::hamiltonian) return elements;
  const InitialValues<double> initial = evaluate_initial<double>(model);
  std::vector<double> v = initial.v;
  for (double& x : v)
    if (!std::isfinite(x)) x = 0;

  const auto name = [&](const Mass& mass) { return entry_name(model, *mass.singular); };
  System<double> system(elements, Backend::interpreter);
  const Mass mass = mass_at(system, initial.q, v);
  if (!mass.singular) return elements;

  auto completed = std::make_shared<Elements>(*elements);
  if (elements->m > 0) add_constraint_rates(*completed, rate_factors(system, initial.q, mass));
  System<double> completed_system(completed, Backend::interpreter);
  const Mass completed_mass = mass_at(completed_system, initial.q, v);
  if (completed_mass.singular)
    throw std::invalid_argument(fmt::format(
        "the second derivatives of the Lagrangian by the velocities, L_vv, are not positive definite at the initial data "
        "(L is singular, or the kinetic energy indefinite), and the constraints do not make up for it; see the velocity "
        "'v_{}', or state the system by its Hamiltonian",
        name(completed_mass)));
  notes.push_back(
      fmt::format("L_vv is singular (see 'v_{}'), but the constraints make up for it: the squares of their rates were "
                  "added to L, which "
                  "changes neither the motion nor the momenta",
                  name(mass)));
  return completed;
}

}  // namespace cotangent
