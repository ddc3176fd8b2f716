#include "cotangent/manifold/redundancy.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/base/scattered_signs.hpp"
#include "cotangent/solve/direct/pivoted_lu.hpp"

namespace cotangent {
namespace {

using Rows = std::vector<std::int64_t>;

// Constraints that happen to be dependent at z are not near it: at a distance d, relative to the largest coordinate,
// they have pivots of about d^2 = term_tolerance, far above rank_tolerance.
template <class T>
std::array<PhasePoint<T>, 3> points_near(const PhasePoint<T>& z) {
  std::mt19937_64 random(0);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const T largest = largest_of(z.q);
  const T distance = sqrt(T(term_tolerance<T>())) * (largest > T(0) ? largest : T(1));
  std::array<PhasePoint<T>, 3> points{z, z, z};
  for (auto& point : points)
    for (T& x : point.q) x += distance * T(uniform(random));
  return points;
}

/// The sets of rows that contradict each other to first order at z.
template <class T>
std::vector<Rows> first_order_contradictions(Manifold<T>& manifold, const PhasePoint<T>& z) {
  System<T>& system = manifold.system();
  std::vector<T> g(static_cast<std::size_t>(system.m()));
  system.at(z).g(g);

  // Nothing can be said about gradients that are not numbers.
  static_cast<void>(manifold.matrix().factor(z));
  for (std::size_t r = 0; r < g.size(); ++r)
    if (!isfinite(manifold.matrix().diagonal_scale(r, T(1)))) return {};

  std::vector<Rows> found;
  for (const DependentRow<T>& dependent : manifold.matrix().dependent(z)) {
    Rows rows{dependent.row};
    T difference = g[dependent.row], size = abs(difference);
    for (const auto& [row, coefficient] : dependent.terms) {
      const T part = coefficient * g[row];
      difference -= part;
      size += abs(part);
      rows.push_back(row);
    }
    if (rows.size() < 2 || !(abs(difference) > T(term_tolerance<T>()) * size)) continue;
    std::sort(rows.begin(), rows.end());
    found.push_back(std::move(rows));
  }
  return found;
}

}  // namespace

template <class T>
std::vector<DependentRow<T>> settle_redundancy(Manifold<T>& manifold, const PhasePoint<T>& z) {
  ConstraintMatrix<T>& matrix = manifold.matrix();
  matrix.set_nullity(0);
  if (manifold.system().m() == 0) return {};
  auto rows = matrix.dependent(z);
  std::erase_if(rows, [](const DependentRow<T>& row) { return row.terms.empty(); });
  if (rows.empty()) return {};

  // With so many left out, points near z are met by all constraints: the first of them.
  const auto meets_all = [&](std::size_t count) -> std::optional<PhasePoint<T>> {
    matrix.set_nullity(count);
    auto points = points_near(z);
    for (PhasePoint<T>& near : points) {
      const auto report = manifold.project_position(near);
      if (!report.regular || !report.converged) return std::nullopt;
    }
    return points.front();
  };
  if (meets_all(rows.size())) return rows;
  if (const auto near = meets_all(0)) {
    rows = matrix.dependent(*near);
    if (!rows.empty() && meets_all(rows.size())) return rows;
  }
  matrix.set_nullity(0);
  return {};
}

template <class T>
std::vector<std::int64_t> contradicting_rows(Manifold<T>& manifold, const PhasePoint<T>& z) {
  std::vector<Rows> found = first_order_contradictions(manifold, z);
  if (found.empty()) return {};
  for (const PhasePoint<T>& near : points_near(z)) {
    const std::vector<Rows> here = first_order_contradictions(manifold, near);
    std::erase_if(found, [&](const Rows& rows) { return std::find(here.begin(), here.end(), rows) == here.end(); });
  }
  return found.empty() ? Rows() : found.front();
}

template <class T>
bool is_mass_singular(Manifold<T>& manifold, const PhasePoint<T>& z) {
  if (manifold.system().m() == 0) return false;
  return !all(manifold.matrix().factor(z).regular) && manifold.matrix().dependent(z).empty();
}

template <class T>
bool is_mass_singular_ahead(Manifold<T>& manifold, const PhasePoint<T>& z, LaneOf<T> h) {
  System<T>& system = manifold.system();
  const auto n = static_cast<std::size_t>(system.n()), m = static_cast<std::size_t>(system.m());
  std::vector<T> unit(std::max(n, m), T(0)), force(n), v(n);
  PhasePoint<T> behind = z, ahead = z;
  system.at(z).H_p(v);
  // A step that is as short as can be leads nowhere, but rounding errors of a function are those of points so far away.
  const T speed = largest_of(v), distance = sqrt(T(epsilon<T>())) * largest_of(z.q);
  ScatteredSigns sign;
  for (std::size_t j = 0; j < n; ++j) {
    const T aside = speed > T(0) ? distance * v[j] / (h < 0 ? -speed : speed) : sign(distance);
    behind.q[j] -= aside;
    ahead.q[j] += T(h) * v[j] + aside;
  }
  ahead.t += h;
  // Whether the determinant of a matrix of so many columns changes its sign; where it is singular it has none.
  const auto changes_sign = [&](std::size_t size, const auto& column) {
    if (size == 0 || size > static_cast<std::size_t>(kLimits.pivoted)) return false;
    std::vector<T> matrix(size * size);
    PivotedLu<T> lu(size);
    int signs = 1;
    for (const PhasePoint<T>* point : {&behind, &ahead}) {
      for (std::size_t k = 0; k < size; ++k) {
        unit[k] = T(1);
        column(system.at(*point), &matrix[k * size]);
        unit[k] = T(0);
      }
      signs *= lu.factor(matrix) ? lu.sign() : 0;
    }
    return signs < 0;
  };
  const auto of_constraints = [&](const At<T>& at, T* column) {
    at.Gt_times(unit, force);
    at.H_pp_times(force, v);
    static_cast<void>(at.G_times(v, column));
  };
  return changes_sign(n, [&](const At<T>& at, T* column) { at.H_pp_times(unit, column); }) ||
         (manifold.matrix().nullity() == 0 && changes_sign(m, of_constraints));
}

#define COTANGENT_FUNCTIONS(T)                                                                 \
  template std::vector<DependentRow<T>> settle_redundancy(Manifold<T>&, const PhasePoint<T>&); \
  template Rows contradicting_rows(Manifold<T>&, const PhasePoint<T>&);                        \
  template bool is_mass_singular(Manifold<T>&, const PhasePoint<T>&);                          \
  template bool is_mass_singular_ahead(Manifold<T>&, const PhasePoint<T>&, LaneOf<T>);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
