#pragma once

#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// A constraint whose gradient is a combination of those of others: it asks for nothing new, to first order.
struct RedundantConstraint {
  std::string name;                       ///< "rod[3]"
  std::vector<std::string> follows_from;  ///< the others; empty if its gradient is zero
};

/// Those at a point; the remaining constraints are independent there, and their number is the rank of G.
template <class T>
std::vector<RedundantConstraint> redundant_constraints(Manifold<T>& manifold, const PhasePoint<T>& z);

/// "'middle' follows from left, right", or "'c' has no gradient".
std::string describe(const RedundantConstraint& constraint);

}  // namespace cotangent
