#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// The nodes of e that satisfy the predicate, not looking below them.
template <class Predicate>
std::vector<Expr> topmost(Expr e, const Predicate& is_wanted) {
  std::vector<Expr> found, stack{e};
  std::unordered_set<NodeId> seen;
  while (!stack.empty()) {
    const Expr top = stack.back();
    stack.pop_back();
    if (!seen.insert(top.id()).second) continue;
    if (is_wanted(top)) {
      found.push_back(top);
      continue;
    }
    for (int k = 0; k < top.arity(); ++k) stack.push_back(top.arg(k));
  }
  std::sort(found.begin(), found.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
  return found;
}

/// An argument of element functions: neither a parameter nor an index of a loop.
inline bool is_variable(Expr e) {
  if (e.op() != Op::symbol && e.op() != Op::entry) return false;
  const SymbolKind kind = e.symbol().kind;
  return kind != SymbolKind::index && kind != SymbolKind::parameter;
}

}  // namespace cotangent
