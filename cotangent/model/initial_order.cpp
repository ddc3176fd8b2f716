#include "cotangent/model/initial_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/coverage.hpp"
#include "cotangent/model/topological_order.hpp"

namespace cotangent {
namespace {

// Nodes of the graph of dependences: the assignments, and behind them one node for each target, "all of x".
class InitialDependences {
 public:
  InitialDependences(const Graph& graph, const std::vector<Assignment>& initial) : graph_(graph), initial_(initial) {
    edges_.resize(initial.size());
    std::unordered_map<SymbolId, std::size_t> last_family, last;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      const SymbolId target = initial[k].target;
      const auto [all, added] = all_of_.emplace(target, edges_.size());
      if (added) edges_.emplace_back();
      edges_[all->second].push_back(k);
      // A single entry replaces what families said of it; a family replaces everything before it.
      if (is_single(initial[k])) {
        if (const auto it = last_family.find(target); it != last_family.end()) edges_[k].push_back(it->second);
        single_[{target, constant_indices(initial[k].indices)}] = k;
      } else {
        if (const auto it = last.find(target); it != last.end()) edges_[k].push_back(it->second);
        last_family[target] = k;
        families_[target].push_back(k);
      }
      last[target] = k;
    }
    for (std::size_t k = 0; k < initial.size(); ++k) add_uses(k);
  }

  const std::vector<std::vector<std::size_t>>& edges() const { return edges_; }

  std::string name(std::size_t node) const {
    if (node >= initial_.size()) return {};
    const auto& assignment = initial_[node];
    const std::string& name = graph_.symbol(assignment.target).name;
    return is_single(assignment) ? entry_text(name, constant_indices(assignment.indices)) : name;
  }

 private:
  using Entry = std::pair<SymbolId, EntryIndices>;

  static bool is_constant(Expr e) { return e.is_constant(); }
  static bool is_single(const Assignment& a) {
    return a.loops.empty() && std::all_of(a.indices.begin(), a.indices.end(), is_constant);
  }

  static EntryIndices constant_indices(const std::vector<Expr>& indices) {
    EntryIndices result;
    for (const Expr e : indices) result.push_back(static_cast<std::int64_t>(e.value()));
    return result;
  }

  void add_uses(std::size_t k) {
    if (initial_[k].value.is_constant()) return;
    for (const Expr e : reachable(std::array{initial_[k].value})) {
      if (e.op() != Op::symbol && e.op() != Op::entry) continue;
      const auto all = all_of_.find(e.symbol_id());
      if (all == all_of_.end()) continue;
      std::vector<Expr> indices;
      for (int d = 0; d < e.arity(); ++d) indices.push_back(e.arg(d));
      if (!std::all_of(indices.begin(), indices.end(), is_constant)) {
        edges_[k].push_back(all->second);
        continue;
      }
      const auto single = single_.find({e.symbol_id(), constant_indices(indices)});
      if (single != single_.end()) {
        edges_[k].push_back(single->second);
      } else if (const auto family = families_.find(e.symbol_id()); family != families_.end()) {
        edges_[k].insert(edges_[k].end(), family->second.begin(), family->second.end());
      }
    }
  }

  const Graph& graph_;
  const std::vector<Assignment>& initial_;
  std::vector<std::vector<std::size_t>> edges_;
  std::unordered_map<SymbolId, std::size_t> all_of_;
  std::unordered_map<SymbolId, std::vector<std::size_t>> families_;
  std::map<Entry, std::size_t> single_;
};

}  // namespace

void order_initial_values(const Graph& graph, std::vector<Assignment>& initial, const std::vector<Location>& where) {
  const InitialDependences dependences(graph, initial);
  const auto order = topological_order(dependences.edges(), [&](std::span<const std::size_t> cycle) {
    std::string text;
    std::size_t first = initial.size();
    for (const std::size_t node : cycle) {
      if (dependences.name(node).empty()) continue;
      first = std::min(first, node);
      text += dependences.name(node) + " -> ";
    }
    for (const std::size_t node : cycle)
      if (const auto name = dependences.name(node); !name.empty()) {
        text += name;
        break;
      }
    throw ModelError(where[first],
                     fmt::format("the initial value of '{}' depends on itself: {}", dependences.name(first), text));
  });
  std::vector<Assignment> ordered;
  ordered.reserve(initial.size());
  for (const std::size_t node : order)
    if (node < initial.size()) ordered.push_back(std::move(initial[node]));
  initial = std::move(ordered);
}

}  // namespace cotangent
