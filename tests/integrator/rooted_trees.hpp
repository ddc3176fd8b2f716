#pragma once

#include <cstddef>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent::test {

/// A rooted tree, as the conditions for the order of a Runge-Kutta method have one each:
///
///   sum_i b_i phi_i(t) = 1/gamma(t),   phi_i(t) = prod_{children u} sum_j a_ij phi_j(u)
///
/// Reference: [hnw93, II.2].
struct RootedTree {
  std::vector<std::size_t> children;  ///< where they are in the list
  int order;                          ///< number of its nodes
  Quad density;                       ///< gamma: the order, times those of the children
};

/// All trees up to an order, smaller ones first.
std::vector<RootedTree> rooted_trees(int order);

/// phi_i(t) for each of the trees. Rows of a may end where their entries are zero.
std::vector<std::vector<Quad>> elementary_weights(const std::vector<RootedTree>& trees,
                                                  const std::vector<std::vector<Quad>>& a);

}  // namespace cotangent::test
