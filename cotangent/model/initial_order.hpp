#pragma once

#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/model/source.hpp"

namespace cotangent {

/// Puts initial values into an order in which each comes after those that it uses, and after those that it replaces.
/// @param where the value of each stands.
/// @throws ModelError for values that depend on each other in a circle.
void order_initial_values(const Graph& graph, std::vector<Assignment>& initial, const std::vector<Location>& where);

}  // namespace cotangent
