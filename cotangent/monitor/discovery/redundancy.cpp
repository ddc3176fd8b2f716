#include "cotangent/monitor/discovery/redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/projection/kept_invariants.hpp"

namespace cotangent {

namespace {

template <class T>
std::vector<RedundantConstraint> named(const Elements& elements, const std::vector<DependentRow<T>>& rows) {
  std::vector<RedundantConstraint> found;
  for (const auto& dependent : rows) {
    found.push_back({elements.row_name(dependent.row), {}});
    for (const auto& term : dependent.terms) found.back().follows_from.push_back(elements.row_name(term.row));
  }
  return found;
}

}  // namespace

template <class T>
std::vector<RedundantConstraint> redundant_constraints(Manifold<T>& manifold, const PhasePoint<T>& z) {
  return named<T>(manifold.system().elements(), settle_redundancy(manifold, z));
}

template <class T>
std::vector<RedundantConstraint> constraints_dependent_at(Manifold<T>& manifold, const PhasePoint<T>& z) {
  if (manifold.system().m() == 0) return {};
  return named<T>(manifold.system().elements(), manifold.matrix().dependent(z));
}

// In extended precision, by the matrix of the products of gradients, of unit length each.
std::vector<RedundantConstraint> dependent_invariants(const Model& model,
                                                      const std::shared_ptr<const Elements>& elements,
                                                      const std::vector<std::string>& names) {
  using T = Quad;
  if (names.empty() || std::max(elements->n, elements->states) > kLimits.full) return {};
  System<T> system(elements, Backend::interpreter);
  Manifold<T> manifold(system);
  const PhasePoint<T> z = make_initial_data(model, manifold, InitialPolicy::project).z;
  KeptInvariants<T> invariants(system, names);
  const std::size_t count = invariants.count(), n = z.q.size();
  std::vector<std::vector<T>> gradients(count, std::vector<T>(2 * n + z.s.size(), T(0)));
  const auto product = [&](std::size_t i, std::size_t k) {
    return std::inner_product(gradients[i].begin(), gradients[i].end(), gradients[k].begin(), T(0));
  };
  for (std::size_t k = 0; k < count; ++k) {
    T* by = gradients[k].data();
    invariants.gradient(z, k, by, by + n, by + 2 * n);
    const T length = sqrt(product(k, k));
    for (T& x : gradients[k]) x = length > T(0) ? x / length : x;
  }
  OffDiagonal places;
  std::vector<T> diagonal, lower;
  for (std::size_t i = 0; i < count; ++i) {
    diagonal.push_back(product(i, i));
    for (std::size_t k = 0; k < i; ++k) {
      places.emplace_back(static_cast<int>(i), static_cast<int>(k));
      lower.push_back(product(i, k));
    }
  }
  const auto name = [&](std::int64_t row) {
    return KeptInvariants<T>::row_name(*elements, invariants.row(static_cast<std::size_t>(row)));
  };
  std::vector<RedundantConstraint> found;
  for (const auto& dependent : dependent_rows(static_cast<int>(count), places, diagonal.data(), lower.data())) {
    found.push_back({name(dependent.row), {}});
    for (const auto& term : dependent.terms) found.back().follows_from.push_back(name(term.row));
  }
  return found;
}

std::string describe(const RedundantConstraint& constraint) {
  const auto& others = constraint.follows_from;
  if (others.empty()) return fmt::format("'{}' has no gradient", constraint.name);
  if (others.size() > kLimits.names)
    return fmt::format("'{}' follows from {}, ... ({} constraints)", constraint.name,
                       fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kLimits.names), ", "),
                       others.size());
  return fmt::format("'{}' follows from {}", constraint.name, fmt::join(others, ", "));
}

#define COTANGENT_FUNCTIONS(T)                                                                         \
  template std::vector<RedundantConstraint> redundant_constraints(Manifold<T>&, const PhasePoint<T>&); \
  template std::vector<RedundantConstraint> constraints_dependent_at(Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
