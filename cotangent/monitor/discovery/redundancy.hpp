#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// A constraint whose gradient is a combination of those of others: it asks for nothing new, to first order.
struct RedundantConstraint {
  std::string name;                       ///< "rod[3]"
  std::vector<std::string> follows_from;  ///< the others; empty if its gradient is zero
};

/// Those that follow from others at z and near it: the remaining constraints are independent at points near z, and
/// their number is the rank of G there. Tells the matrix of the manifold, see settle_redundancy().
template <class T>
std::vector<RedundantConstraint> redundant_constraints(Manifold<T>& manifold, const PhasePoint<T>& z);

/// Those at z itself, which may be a singular position, where there are more of them.
template <class T>
std::vector<RedundantConstraint> constraints_dependent_at(Manifold<T>& manifold, const PhasePoint<T>& z);

/// Invariants of these names, see KeptInvariants, whose gradients at the initial data are combinations of those of the
/// others among them: where the others are kept, so are they, to first order. None are found in systems that are too
/// large for that, see kLimits.full.
std::vector<RedundantConstraint> dependent_invariants(const Model& model,
                                                      const std::shared_ptr<const Elements>& elements,
                                                      const std::vector<std::string>& names);

/// "'middle' follows from left, right", or "'c' has no gradient".
std::string describe(const RedundantConstraint& constraint);

}  // namespace cotangent
