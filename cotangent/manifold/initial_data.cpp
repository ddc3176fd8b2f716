#include "cotangent/manifold/initial_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/manifold/initial_values.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/solve/iteration/stopping.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

struct WorstRow {
  std::int64_t row = 0;
  double value = 0;
};

// The row of g(q), or of G H_p, with the largest absolute value.
template <class T>
WorstRow worst_constraint(System<T>& system, const PhasePoint<T>& z, bool momenta) {
  std::vector<T> rows(static_cast<std::size_t>(system.m())), v(z.q.size());
  momenta ? system.at(z).psi(v, rows) : system.at(z).g(rows);
  WorstRow worst;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto value = static_cast<double>(abs(rows[r]));
    if (!(value <= worst.value)) worst = {static_cast<std::int64_t>(r), value};
  }
  return worst;
}

// Whoever states constraints that contradict each other wants to see all of them: the last one is pointed at.
ModelError contradiction_error(const Model& model, const Elements& elements, const std::vector<std::int64_t>& rows) {
  std::vector<std::string> names, places;
  for (const std::int64_t row : rows) {
    if (names.size() == kLimits.names) {
      names.push_back(fmt::format("... ({} constraints)", rows.size()));
      break;
    }
    names.push_back(fmt::format("'{}'", elements.row_name(row)));
    const Location where = constraint_text(model, elements, row).where;
    if (row != rows.back() && where.source)
      places.push_back(fmt::format("{} is at {}", names.back(), to_string(where)));
  }
  return refusal(model, constraint_text(model, elements, rows.back()).where,
                 fmt::format("the constraints {} contradict each other: near the initial data their gradients are "
                             "dependent and their values are not",
                             fmt::join(names, ", ")),
                 fmt::format("{}", fmt::join(places, ", ")));
}

template <class T>
[[noreturn]] void refuse(const Model& model, Manifold<T>& manifold, const SolveReport<T>& report,
                         const PhasePoint<T>& given, bool momenta) {
  System<T>& system = manifold.system();
  const Elements& elements = system.elements();
  // Only if no correction could be made is the singular matrix that of the initial data themselves.
  if (!report.regular && report.row >= 0 && report.iterations == 0) {
    if (!is_mass_singular(manifold, given)) throw vanishing_gradient(model, elements, report.row);
    throw refusal(model, model.energy_where,
                  fmt::format("H_pp is singular across the constraints at the initial data: G H_pp G' is singular, and "
                              "no constraint follows from others; see '{}'",
                              elements.row_name(report.row)),
                  "give H a kinetic energy in the directions of the constraints, whose parts do not cancel there");
  }
  const std::vector<std::int64_t> contradicting =
      momenta ? std::vector<std::int64_t>() : contradicting_rows(manifold, given);
  if (!contradicting.empty()) throw contradiction_error(model, elements, contradicting);
  const WorstRow worst = worst_constraint(system, given, momenta);
  const char* what = momenta ? "momenta" : "positions";
  const char* residual = momenta ? "G H_p" : "g";
  throw refusal(
      model, constraint_text(model, elements, worst.row).where,
      fmt::format("the initial {} contradict the constraints and no consistent ones were found near them: the worst "
                  "constraint is '{}' with {} = {:.6g} (the projection stopped at a relative residual of {:.3g})",
                  what, elements.row_name(worst.row), residual, worst.value, static_cast<double>(report.residual)));
}

// Velocities must follow from the momenta, and be those that were stated.
template <class T>
void check_velocities(const Model& model, System<T>& system, const InitialValues<T>& given, const PhasePoint<T>& z) {
  if (!system.legendre()) return;
  const std::vector<T>& v = system.legendre()->velocity(z.q.data(), z.p.data(), T(z.t));
  const auto expected = [&](std::size_t j) { return given.by_velocity[j] ? given.v[j] : v[j]; };
  for (std::size_t j = 0; j < v.size(); ++j) {
    const auto name = [&] { return entry_name(model, static_cast<std::int64_t>(j)); };
    if (!isfinite(v[j])) {
      ModelPoint at{.q = {}, .p = {}, .v = {}, .s = {}, .lambda = {}, .t = static_cast<double>(z.t)};
      for (const T& x : z.q) at.q.push_back(static_cast<double>(x));
      for (std::size_t k = 0; k < v.size(); ++k)
        at.v.push_back(given.by_velocity[k] ? static_cast<double>(given.v[k]) : 0.0);
      expect_defined_energy(model, at);
      throw refusal(
          model, model.energy_where,
          fmt::format("no velocities were found for the initial momenta: L_v(q, v, t) = p has no solution that "
                      "can be reached from rest, with p_{} = {:g}",
                      name(), static_cast<double>(z.p[j])),
          "give velocities instead, or other momenta");
    }
    // What was added to L makes momenta of velocities that contradict the constraints different.
    if (system.elements().added_energy == 0 &&
        abs(v[j] - expected(j)) > T(term_tolerance<T>()) * (T(1) + abs(expected(j))))
      throw refusal(model, model.energy_where,
                    fmt::format("the velocities do not follow from the momenta: v_{} = {:g} was given, but its momenta "
                                "also have the velocity {:g}: L is not convex in v",
                                name(), static_cast<double>(expected(j)), static_cast<double>(v[j])),
                    "state the system by its Hamiltonian");
  }
}

template <class T>
T largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  T largest(0);
  for (std::size_t i = 0; i < a.size(); ++i) largest = max(largest, abs(a[i] - b[i]));
  return largest;
}

// See InitialData::is_moved_far; what rounding leaves of g + G dq is nothing.
template <class T>
bool is_far(Manifold<T>& manifold, const PhasePoint<T>& given, const std::vector<T>& q) {
  System<T>& system = manifold.system();
  std::vector<T> defect(static_cast<std::size_t>(system.m())), G_size(defect.size(), T(0)), dq_size(G_size);
  const T level = manifold.position_residual(given.q.data(), T(given.t)).level;
  system.at(given.q, T(given.t)).g(defect);
  Jacobian<T> G(system);
  std::vector<T> values(G.entries().size());
  G.evaluate(given.q, T(given.t), values);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto row = static_cast<std::size_t>(G.entries()[e].row),
               column = static_cast<std::size_t>(G.entries()[e].column);
    const T dq = q[column] - given.q[column];
    defect[row] += values[e] * dq;
    G_size[row] += values[e] * values[e];
    dq_size[row] += dq * dq;
  }
  for (std::size_t r = 0; r < defect.size(); ++r)
    if (abs(defect[r]) > T(kNearUnits) * level && abs(defect[r]) > sqrt(G_size[r] * dq_size[r]) / T(4)) return true;
  return false;
}

}  // namespace

ModelError vanishing_gradient(const Model& model, const Elements& elements, std::int64_t row) {
  return refusal(model, constraint_text(model, elements, row).where,
                 fmt::format("the gradient of the constraint '{}' vanishes at the initial data, so that no force can "
                             "keep it",
                             elements.row_name(row)),
                 "write it differently (x = 0, not x^2 = 0) or move the initial data");
}

template <class T>
InitialData<T> make_initial_data(const Model& model, Manifold<T>& manifold, InitialPolicy policy) {
  System<T>& system = manifold.system();
  const InitialValues<T> given = evaluate_initial<T>(model);
  InitialData<T> data;
  data.z = PhasePoint<T>(system.n(), system.state_count());
  data.z.t = given.t;
  data.z.q = given.q;
  std::copy(given.s.begin(), given.s.end(), data.z.s.begin());
  for (std::size_t i = 0; i < given.p.size(); ++i) data.z.p[i] = given.by_velocity[i] ? T(0) : given.p[i];
  solve_momenta(model, system, given, data.z.q, data.z.p);
  check_velocities(model, system, given, data.z);
  if (policy == InitialPolicy::as_given || system.m() == 0) return data;

  PhasePoint<T> before = data.z;
  const auto position = manifold.project_position_nearest(data.z);
  if (!all(position.converged) || !position.regular) refuse(model, manifold, position, before, false);
  data.position_change = largest_difference(data.z.q, before.q);
  data.is_moved_far = data.position_change > T(0) && is_far(manifold, before, data.z.q);
  if (data.position_change > T(0)) solve_momenta(model, system, given, data.z.q, data.z.p);

  before = data.z;
  const auto momentum = manifold.project_momentum(data.z);
  if (!all(momentum.converged) || !momentum.regular) refuse(model, manifold, momentum, before, true);
  data.momentum_change = largest_difference(data.z.p, before.p);

  // A trajectory starts from rounded numbers.
  std::fill(data.z.q_low.begin(), data.z.q_low.end(), T(0));
  std::fill(data.z.p_low.begin(), data.z.p_low.end(), T(0));
  return data;
}

#define COTANGENT_FUNCTIONS(T) template InitialData<T> make_initial_data(const Model&, Manifold<T>&, InitialPolicy);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
