#include "cotangent/expr/algorithm.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "cotangent/base/check.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/expr/arithmetic.hpp"

namespace cotangent {

std::vector<Expr> reachable(std::span<const Expr> roots) {
  std::vector<Expr> found, stack(roots.begin(), roots.end());
  std::unordered_set<NodeId> seen;
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (!seen.insert(e.id()).second) continue;
    found.push_back(e);
    for (int k = 0; k < e.arity(); ++k) stack.push_back(e.arg(k));
  }
  std::sort(found.begin(), found.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
  return found;
}

const Expr* Substitution::find(Expr e) const {
  const auto given = replacement_.find(e.id());
  if (given != replacement_.end()) return &given->second;
  const auto made = done_.find(e.id());
  return made != done_.end() ? &made->second : nullptr;
}

Expr Substitution::operator()(Expr e) {
  std::vector<Expr> stack{e};
  while (!stack.empty()) {
    const Expr top = stack.back();
    if (find(top)) {
      stack.pop_back();
      continue;
    }
    const std::size_t depth = stack.size();
    for (int k = 0; k < top.arity(); ++k)
      if (!find(top.arg(k))) stack.push_back(top.arg(k));
    if (stack.size() > depth) continue;

    std::vector<Expr> args;
    bool changed = false;
    for (int k = 0; k < top.arity(); ++k) {
      args.push_back(*find(top.arg(k)));
      changed = changed || !(args.back() == top.arg(k));
    }
    done_.emplace(top.id(), changed ? top.graph().rebuild(top, args) : top);
    stack.pop_back();
  }
  return *find(e);
}

Expr substitute(Expr e, const Replacement& replacement) { return Substitution(replacement)(e); }

Expr transplanted(Expr e, Graph& graph, const Replacement& leaves) {
  Replacement done = leaves;
  for (const Expr node : reachable(std::array{e})) {
    if (done.contains(node.id())) continue;
    std::vector<Expr> args;
    for (int k = 0; k < node.arity(); ++k) args.push_back(done.at(node.arg(k).id()));
    done.emplace(node.id(), node.is_constant() ? graph.constant(node.value()) : graph.apply(node.op(), args));
  }
  return done.at(e.id());
}

bool depends_on(Expr e, const std::function<bool(Expr)>& is_target) {
  const auto nodes = reachable(std::array{e});
  return std::any_of(nodes.begin(), nodes.end(), is_target);
}

namespace {

template <class T>
class Evaluator {
 public:
  explicit Evaluator(const LeafValue<T>& leaf) : leaf_(leaf) {}

  T operator()(Expr e) {
    if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    const T value = compute(e);
    known_.emplace(e.id(), value);
    return value;
  }

 private:
  T compute(Expr e) {
    switch (e.op()) {
      case Op::constant:
        return static_cast<T>(e.value());
      case Op::symbol:
        if (const auto it = index_.find(e.symbol_id()); it != index_.end()) return static_cast<T>(it->second);
        return leaf_(e.symbol_id(), {});
      case Op::entry: {
        std::vector<std::int64_t> indices;
        for (int k = 0; k < e.arity(); ++k) indices.push_back(static_cast<std::int64_t>((*this)(e.arg(k))));
        return leaf_(e.symbol_id(), indices);
      }
      case Op::sum:
        return sum(e);
      case Op::select:
        return (*this)(e.arg(0)) != 0 ? (*this)(e.arg(1)) : (*this)(e.arg(2));
      default: {
        std::array<T, 3> x{};
        for (int k = 0; k < e.arity(); ++k) x[static_cast<std::size_t>(k)] = (*this)(e.arg(k));
        return apply_scalar<T>(e.op(), x[0], x[1], x[2]);
      }
    }
  }

  T sum(Expr e) {
    const T first = (*this)(e.arg(0)), last = (*this)(e.arg(1));
    const auto most = static_cast<T>(kLimits.integer);
    if (!(abs(first) <= most && abs(last) <= most)) return std::numeric_limits<double>::quiet_NaN();
    const auto lo = static_cast<std::int64_t>(first), hi = static_cast<std::int64_t>(last);
    T total = 0;
    const auto outside = known_;
    for (std::int64_t i = lo; i <= hi; ++i) {
      known_ = outside;  // what was found for another i does not hold for this one
      index_[e.symbol_id()] = i;
      total += (*this)(e.arg(2));
    }
    known_ = outside;
    index_.erase(e.symbol_id());
    return total;
  }

  const LeafValue<T>& leaf_;
  std::unordered_map<NodeId, T> known_;
  std::unordered_map<SymbolId, std::int64_t> index_;
};

}  // namespace

template <class T>
T evaluate(Expr e, const LeafValue<T>& leaf) {
  return Evaluator<T>(leaf)(e);
}

#define COTANGENT_FUNCTIONS(T) template T evaluate(Expr, const LeafValue<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
