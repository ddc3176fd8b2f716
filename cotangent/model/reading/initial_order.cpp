#include <fmt/format.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reading/assignments.hpp"

namespace cotangent {
namespace {

// Replaces the assignments of one array by one for each entry, with the last value that it is given.
void expand(Graph& graph, const ParameterMap& parameters, SymbolId target, std::vector<Assignment>& initial) {
  std::map<EntryIndices, Assignment> entries;
  for (const Assignment& all : initial) {
    if (all.target != target) continue;
    Instances instances(all.loops, parameters);
    instances.each([&] {
      Replacement point;
      for (std::size_t l = 0; l < all.loops.size(); ++l)
        point[graph.symbol_expr(all.loops[l].index).id()] = graph.constant(instances.point()[l]);
      EntryIndices indices;
      Assignment one{.target = target, .loops = {}, .indices = {}, .value = {}, .where = all.where};
      for (const Expr e : all.indices) {
        indices.push_back(static_cast<std::int64_t>(rintq(known_value(substitute(e, point), parameters))));
        one.indices.push_back(graph.constant(static_cast<Quad>(indices.back())));
      }
      one.value = substitute(all.value, point);
      entries.insert_or_assign(std::move(indices), std::move(one));
      if (std::cmp_greater(entries.size(), kLimits.expansions))
        throw ModelError(all.where, fmt::format("'{}' has more than {} entries whose initial values use each other",
                                                graph.symbol(target).name, kLimits.expansions));
      return false;
    });
  }
  std::erase_if(initial, [&](const Assignment& each) { return each.target == target; });
  for (auto& [indices, value] : entries) initial.push_back(std::move(value));
}

// Nodes of the graph of dependences: the assignments, and behind them one node for each target, "all of x".
class InitialDependences {
 public:
  InitialDependences(Graph& graph, const ParameterMap& parameters, const std::vector<Assignment>& initial,
                     const std::unordered_set<SymbolId>& expanded)
      : graph_(graph), parameters_(parameters), initial_(initial) {
    edges_.resize(initial.size());
    for (std::size_t k = 0; k < initial.size(); ++k) {
      const SymbolId target = initial[k].target;
      const auto [all, added] = all_of_.emplace(target, edges_.size());
      if (added) edges_.emplace_back();
      // A single entry replaces what families said of it; a family replaces everything before it.
      auto& families = families_[target];
      const auto single = single_entry(initial[k]);
      const auto& before = single ? families : edges_[all->second];
      if (!before.empty()) edges_[k].push_back(before.back());
      if (single) {
        single_[{target, *single}] = k;
      } else {
        families.push_back(k);
      }
      edges_[all->second].push_back(k);
    }
    for (std::size_t k = 0; k < initial.size(); ++k)
      expanded.contains(initial[k].target) ? add_entries(k) : add_uses(k);
  }

  const std::vector<std::vector<std::size_t>>& edges() const { return edges_; }

  // @param cycle assignments.
  [[noreturn]] void report(const std::vector<std::size_t>& cycle) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::min(cycle.size(), kLimits.names); ++k) names.push_back(name(cycle[k]));
    if (names.size() == kLimits.names) names.back() = "...";
    names.push_back(names.front());
    const std::size_t first = *std::ranges::min_element(cycle);
    throw ModelError(initial_[first].where, fmt::format("the initial value of '{}' depends on itself: {}", name(first),
                                                        fmt::join(names, " -> ")));
  }

 private:
  using Entry = std::pair<SymbolId, EntryIndices>;

  std::string name(std::size_t k) const {
    return entry_text(graph_.symbol(initial_[k].target).name, single_entry(initial_[k]).value_or(EntryIndices()));
  }

  // The numbers that indices are, if they are known.
  static std::optional<EntryIndices> numbers(std::span<const Expr> indices) {
    if (!std::ranges::all_of(indices, [](Expr e) { return e.is_constant(); })) return std::nullopt;
    EntryIndices result;
    for (const Expr e : indices) result.push_back(static_cast<std::int64_t>(e.value()));
    return result;
  }

  static std::optional<EntryIndices> single_entry(const Assignment& assignment) {
    return assignment.loops.empty() ? numbers(assignment.indices) : std::nullopt;
  }

  void add_uses(std::size_t k) {
    if (initial_[k].value.is_constant()) return;
    for (const Expr e : reachable(std::array{initial_[k].value})) {
      if (e.op() != Op::symbol && e.op() != Op::entry) continue;
      const auto all = all_of_.find(e.symbol_id());
      if (all == all_of_.end()) continue;
      std::vector<Expr> indices;
      for (int d = 0; d < e.arity(); ++d) indices.push_back(e.arg(d));
      if (auto known = numbers(indices)) {
        add_use(k, e.symbol_id(), std::move(*known));
      } else {
        edges_[k].push_back(all->second);
      }
    }
  }

  void add_use(std::size_t k, SymbolId symbol, EntryIndices indices) {
    const auto single = single_.find({symbol, std::move(indices)});
    if (single != single_.end()) {
      edges_[k].push_back(single->second);
    } else {
      const auto& families = families_[symbol];
      edges_[k].insert(edges_[k].end(), families.begin(), families.end());
    }
  }

  // The very entries that a value uses: those that are asked for when it is evaluated.
  void add_entries(std::size_t k) {
    if (initial_[k].value.is_constant()) return;
    evaluate<double>(both_branches(initial_[k].value), [&](SymbolId symbol, std::span<const std::int64_t> indices) {
      if (const auto it = parameters_.find(symbol); it != parameters_.end())
        return static_cast<double>(parameter_value(*it->second, indices));
      if (all_of_.contains(symbol)) add_use(k, symbol, EntryIndices(indices.begin(), indices.end()));
      if (std::cmp_greater(++uses_, kLimits.expanded_uses))
        throw ModelError(initial_[k].where,
                         fmt::format("the entries of '{}' use more than {} others in their initial values",
                                     graph_.symbol(initial_[k].target).name, kLimits.expanded_uses));
      return 1.0;
    });
  }

  // Where initial values decide between two branches, either may be the one.
  Expr both_branches(Expr e) const {
    Replacement open;
    for (const Expr node : reachable(std::array{e})) {
      if (node.op() != Op::select) continue;
      const bool decided = !depends_on(node.arg(0), [&](Expr leaf) {
        return (leaf.op() == Op::symbol || leaf.op() == Op::entry) && all_of_.contains(leaf.symbol_id());
      });
      if (decided) continue;
      const Expr branches = graph_.apply(Op::max, substitute(node.arg(1), open), substitute(node.arg(2), open));
      open.emplace(node.id(), graph_.apply(Op::max, substitute(node.arg(0), open), branches));
    }
    return open.empty() ? e : substitute(e, open);
  }

  Graph& graph_;
  const ParameterMap& parameters_;
  const std::vector<Assignment>& initial_;
  std::size_t uses_ = 0;
  std::vector<std::vector<std::size_t>> edges_;
  std::unordered_map<SymbolId, std::size_t> all_of_;
  std::unordered_map<SymbolId, std::vector<std::size_t>> families_;
  std::map<Entry, std::size_t> single_;
};

}  // namespace

void order_initial_values(Graph& graph, const ParameterMap& parameters, std::vector<Assignment>& initial) {
  std::unordered_set<SymbolId> expanded;
  Order order;
  while (true) {
    const InitialDependences dependences(graph, parameters, initial, expanded);
    order = topological_order(dependences.edges());
    if (order.cycle.empty()) break;
    // Where they are all of one array, its entries may still have an order.
    std::erase_if(order.cycle, [&](std::size_t node) { return node >= initial.size(); });
    const SymbolId target = initial[order.cycle[0]].target;
    const bool is_one = std::ranges::all_of(order.cycle, [&](std::size_t k) { return initial[k].target == target; });
    if (!is_one || !expanded.insert(target).second) dependences.report(order.cycle);
    expand(graph, parameters, target, initial);
  }
  std::vector<Assignment> ordered;
  ordered.reserve(initial.size());
  for (const std::size_t node : order.nodes)
    if (node < initial.size()) ordered.push_back(std::move(initial[node]));
  initial = std::move(ordered);
}

}  // namespace cotangent
