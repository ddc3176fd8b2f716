#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// Derivatives as graph -> graph, of functions of finitely many symbols (element functions: no sums, no array
/// entries). The result shares subexpressions with its argument and simplifies as it is built.
///
/// At points where a function is not differentiable the derivative of one side is taken: abs' = sign (0 at 0),
/// min and max take the branch that is chosen, a comparison has derivative 0.

/// (df/dx_1, ..., df/dx_n), by one reverse sweep over the graph of f.
std::vector<Expr> gradient(Expr f, std::span<const Expr> x);

/// The total derivative of f when each symbol changes with the rate given for it (others are held):
/// sum_s df/dx_s rate_s. Applying it k times gives contracted derivatives of order k.
using Rates = std::unordered_map<NodeId, Expr>;
Expr derivative(Expr f, const Rates& rates);

}  // namespace cotangent
