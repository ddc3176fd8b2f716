#include <algorithm>
#include <array>
#include <unordered_set>

#include "cotangent/base/check.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/derivatives/partials.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// adjoint * d, where an adjoint that a select switches off stays off even if d is infinite there: 0 instead of
// 0 * inf, so that the branch that is not taken does not spoil the one that is.
Expr times(Expr adjoint, Expr d) {
  if (adjoint.op() == Op::select) {
    const Expr c = adjoint.arg(0), a = adjoint.arg(1), b = adjoint.arg(2);
    if (b.is_constant(0)) return select(c, times(a, d), b);
    if (a.is_constant(0)) return select(c, a, times(b, d));
  }
  return adjoint * d;
}

}  // namespace

// Reverse sweep: the adjoint of a node is df/d(node); nodes are visited users first, so that an adjoint is complete
// when its node is reached.
std::vector<Expr> gradient(Expr f, std::span<const Expr> x) {
  Graph& graph = f.graph();
  const auto nodes = reachable(std::array{f});

  // Only what depends on x needs an adjoint.
  std::unordered_set<NodeId> active;
  for (const Expr& s : x) active.insert(s.id());
  for (const Expr& e : nodes) {
    for (int k = 0; k < e.arity(); ++k)
      if (active.contains(e.arg(k).id())) active.insert(e.id());
  }

  std::unordered_map<NodeId, Expr> adjoint;
  adjoint.emplace(f.id(), graph.constant(1));
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const Expr e = *it;
    const auto found = adjoint.find(e.id());
    if (found == adjoint.end() || !active.contains(e.id())) continue;
    const Expr e_bar = found->second;
    for (int k = 0; k < e.arity(); ++k) {
      const Expr arg = e.arg(k);
      if (!active.contains(arg.id())) continue;
      Expr contribution;
      if (e.op() == Op::select) {
        if (k == 0) continue;
        const Expr zero = graph.constant(0);
        contribution = k == 1 ? select(e.arg(0), e_bar, zero) : select(e.arg(0), zero, e_bar);
      } else {
        const Expr d = partial(e, k);
        if (!d.valid()) continue;
        contribution = times(e_bar, d);
      }
      const auto [slot, fresh] = adjoint.emplace(arg.id(), contribution);
      if (!fresh) slot->second = slot->second + contribution;
    }
  }

  std::vector<Expr> result;
  for (const Expr& s : x) {
    const auto found = adjoint.find(s.id());
    result.push_back(found == adjoint.end() ? graph.constant(0) : found->second);
  }
  return result;
}

Expr derivative(Expr f, const Rates& rates) {
  Graph& graph = f.graph();
  std::unordered_map<NodeId, Expr> rate;  // absent: zero
  for (const Expr& e : reachable(std::array{f})) {
    if (const auto given = rates.find(e.id()); given != rates.end()) {
      if (!given->second.is_constant(0)) rate.emplace(e.id(), given->second);
      continue;
    }
    COTANGENT_CHECK(e.op() != Op::sum && e.op() != Op::entry);
    if (e.op() == Op::select) {
      const auto of = [&](Expr branch) {
        const auto found = rate.find(branch.id());
        return found == rate.end() ? graph.constant(0) : found->second;
      };
      const Expr total = select(e.arg(0), of(e.arg(1)), of(e.arg(2)));
      if (!total.is_constant(0)) rate.emplace(e.id(), total);
      continue;
    }
    Expr total;
    for (int k = 0; k < e.arity(); ++k) {
      const auto found = rate.find(e.arg(k).id());
      if (found == rate.end()) continue;
      const Expr d = partial(e, k);
      if (!d.valid()) continue;
      const Expr term = d * found->second;
      total = total.valid() ? total + term : term;
    }
    if (total.valid() && !total.is_constant(0)) rate.emplace(e.id(), total);
  }
  const auto found = rate.find(f.id());
  return found == rate.end() ? graph.constant(0) : found->second;
}

}  // namespace cotangent
