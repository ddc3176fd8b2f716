#pragma once

#include <span>
#include <utility>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// The rules by which a graph simplifies an operation while building it; see Expr for what they may do.
///
/// Normal form: constants stand first in a product and last in a sum; a product has at most one constant, pulled
/// out of its factors and of numerators; equal sums and products of two have their arguments in order of id.
struct Simplifier {
  Graph& graph;

  Expr apply(Op op, std::span<const Expr> args);

 private:
  Expr add(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr div(Expr a, Expr b);
  Expr pow(Expr a, Expr b);
  Expr select(Expr condition, Expr a, Expr b);
  Expr make(Op op, Expr a, Expr b);
};

}  // namespace cotangent
