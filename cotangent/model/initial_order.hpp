#pragma once

#include <cstddef>
#include <vector>

#include "cotangent/model/index_range.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// Puts initial values into an order in which each comes after those that it uses, and after those that it replaces.
/// An array whose entries use each other, x = "if(i == 1, 0, x[i-1] + 1)", becomes one assignment for each entry.
/// @throws ModelError for values that depend on each other in a circle.
void order_initial_values(Graph& graph, const ParameterMap& parameters, std::vector<Assignment>& initial);

}  // namespace cotangent
