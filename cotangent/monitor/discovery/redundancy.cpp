#include "cotangent/monitor/discovery/redundancy.hpp"

#include <fmt/format.h>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {

template <class T>
std::vector<RedundantConstraint> redundant_constraints(Manifold<T>& manifold, const PhasePoint<T>& z) {
  std::vector<RedundantConstraint> found;
  if (manifold.system().m() == 0) return found;
  const Elements& elements = manifold.system().elements();
  for (const auto& dependent : manifold.matrix().dependent(z)) {
    found.push_back({elements.row_name(dependent.row), {}});
    for (const auto& term : dependent.terms) found.back().follows_from.push_back(elements.row_name(term.row));
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

#define COTANGENT_FUNCTIONS(T) \
  template std::vector<RedundantConstraint> redundant_constraints(Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
