#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "cotangent/base/check.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/derivatives/partials.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// select, min and max choose between arguments: value is a where c != 0, else b.
struct Choice {
  Expr c, a, b;
};

std::optional<Choice> as_choice(Expr e) {
  Graph& graph = e.graph();
  if (e.op() == Op::select) return Choice{e.arg(0), e.arg(1), e.arg(2)};
  // Where both are equal the first counts, as in the value.
  if (e.op() == Op::min) return Choice{graph.apply(Op::lt, e.arg(1), e.arg(0)), e.arg(1), e.arg(0)};
  if (e.op() == Op::max) return Choice{graph.apply(Op::lt, e.arg(0), e.arg(1)), e.arg(1), e.arg(0)};
  return std::nullopt;
}

// Gradients of the branches of choices: choices inside choices share them.
using Branches = std::unordered_map<NodeId, std::vector<Expr>>;

// The derivative of a choice is the choice of derivatives, never a sum in which one of them is multiplied by zero: the
// side that is not taken may be infinite.
//
// Reverse sweep: the adjoint of a node is df/d(node); nodes are visited users first, so that an adjoint is complete
// when its node is reached.
std::vector<Expr> gradient(Expr f, std::span<const Expr> x, Branches& branches) {
  Graph& graph = f.graph();
  const auto of_branch = [&](Expr branch) {
    auto known = branches.find(branch.id());
    if (known == branches.end()) known = branches.emplace(branch.id(), gradient(branch, x, branches)).first;
    return known->second;
  };
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
  const auto add = [&](Expr to, Expr contribution) {
    if (contribution.is_constant(0)) return;
    const auto [slot, fresh] = adjoint.emplace(to.id(), contribution);
    if (!fresh) slot->second = slot->second + contribution;
  };
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const Expr e = *it;
    const auto found = adjoint.find(e.id());
    if (found == adjoint.end() || !active.contains(e.id())) continue;
    const Expr e_bar = found->second;
    if (const auto choice = as_choice(e)) {
      const auto a_x = of_branch(choice->a), b_x = of_branch(choice->b);
      for (std::size_t k = 0; k < x.size(); ++k) add(x[k], e_bar * select(choice->c, a_x[k], b_x[k]));
      continue;
    }
    for (int k = 0; k < e.arity(); ++k) {
      const Expr arg = e.arg(k);
      if (!active.contains(arg.id())) continue;
      if (const Expr d = partial(e, k); d.valid()) add(arg, e_bar * d);
    }
  }

  std::vector<Expr> result;
  for (const Expr& s : x) {
    const auto found = adjoint.find(s.id());
    result.push_back(found == adjoint.end() ? graph.constant(0) : found->second);
  }
  return result;
}

}  // namespace

std::vector<Expr> gradient(Expr f, std::span<const Expr> x) {
  Branches branches;
  return gradient(f, x, branches);
}

Expr derivative(Expr f, const Rates& rates) {
  Graph& graph = f.graph();
  std::unordered_map<NodeId, Expr> rate;  // absent: zero
  const auto of = [&](Expr e) {
    const auto found = rate.find(e.id());
    return found == rate.end() ? graph.constant(0) : found->second;
  };
  for (const Expr& e : reachable(std::array{f})) {
    Expr total = graph.constant(0);
    if (const auto given = rates.find(e.id()); given != rates.end()) {
      total = given->second;
    } else if (const auto choice = as_choice(e)) {
      total = select(choice->c, of(choice->a), of(choice->b));
    } else {
      COTANGENT_CHECK(e.op() != Op::sum && e.op() != Op::entry);
      for (int k = 0; k < e.arity(); ++k) {
        if (!rate.contains(e.arg(k).id())) continue;
        if (const Expr d = partial(e, k); d.valid()) total = total + d * of(e.arg(k));
      }
    }
    if (!total.is_constant(0)) rate.emplace(e.id(), total);
  }
  return of(f);
}

}  // namespace cotangent
