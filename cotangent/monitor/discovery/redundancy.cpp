#include "cotangent/monitor/discovery/redundancy.hpp"

#include <fmt/format.h>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/manifold/redundancy.hpp"

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
