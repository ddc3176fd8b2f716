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
#include "cotangent/model/assignments.hpp"
#include "cotangent/model/coverage.hpp"

namespace cotangent {
namespace {

// Thrown where the entries of one array depend on each other.
struct Entangled {};

// The entries of one array, each with the last value that it is given.
class Expansion {
 public:
  Expansion(Graph& graph, const ParameterMap& parameters) : graph_(graph), parameters_(parameters) {}

  void operator()(SymbolId target, std::vector<Assignment>& initial) {
    std::vector<Assignment> others;
    for (Assignment& each : initial) {
      if (each.target != target) {
        others.push_back(std::move(each));
      } else {
        add(each);
      }
    }
    for (auto& [indices, value] : entries_) others.push_back(std::move(value));
    initial = std::move(others);
  }

 private:
  void add(const Assignment& all) {
    Instances instances(all.loops, parameters_);
    instances.each([&] {
      Replacement point;
      for (std::size_t l = 0; l < all.loops.size(); ++l)
        point[graph_.symbol_expr(all.loops[l].index).id()] = graph_.constant(instances.point()[l]);
      EntryIndices indices;
      Assignment one{.target = all.target, .loops = {}, .indices = {}, .value = {}, .where = all.where};
      for (const Expr e : all.indices) {
        indices.push_back(static_cast<std::int64_t>(rintq(known_value(substitute(e, point), parameters_))));
        one.indices.push_back(graph_.constant(static_cast<Quad>(indices.back())));
      }
      one.value = substitute(all.value, point);
      entries_.insert_or_assign(std::move(indices), std::move(one));
      if (std::cmp_greater(entries_.size(), kLimits.expansions))
        throw ModelError(all.where, fmt::format("'{}' has more than {} entries whose initial values use each other",
                                                graph_.symbol(all.target).name, kLimits.expansions));
      return false;
    });
  }

  Graph& graph_;
  const ParameterMap& parameters_;
  std::map<EntryIndices, Assignment> entries_;
};

// Nodes of the graph of dependences: the assignments, and behind them one node for each target, "all of x".
class InitialDependences {
 public:
  InitialDependences(Graph& graph, const ParameterMap& parameters, const std::vector<Assignment>& initial,
                     const std::unordered_set<SymbolId>& expanded)
      : graph_(graph), parameters_(parameters), initial_(initial) {
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
    for (std::size_t k = 0; k < initial.size(); ++k)
      expanded.contains(initial[k].target) ? add_entries(k) : add_uses(k);
  }

  // The array that is alone in a circle, if it is one.
  std::optional<SymbolId> only_target(std::span<const std::size_t> cycle) const {
    std::optional<SymbolId> result;
    for (const std::size_t node : cycle) {
      if (node >= initial_.size()) continue;
      if (result && *result != initial_[node].target) return std::nullopt;
      result = initial_[node].target;
    }
    return result;
  }

  const std::vector<std::vector<std::size_t>>& edges() const { return edges_; }

  [[noreturn]] void report(std::span<const std::size_t> cycle) const {
    std::vector<std::string> names;
    std::size_t first = initial_.size();
    for (const std::size_t node : cycle) {
      if (name(node).empty()) continue;
      first = std::min(first, node);
      if (names.size() < kLimits.names) names.push_back(name(node));
    }
    if (names.size() == kLimits.names) names.back() = "...";
    names.push_back(names.front());
    throw ModelError(initial_[first].where, fmt::format("the initial value of '{}' depends on itself: {}", name(first),
                                                        fmt::join(names, " -> ")));
  }

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
      add_use(k, e.symbol_id(), constant_indices(indices));
    }
  }

  void add_use(std::size_t k, SymbolId symbol, EntryIndices indices) {
    const auto single = single_.find({symbol, std::move(indices)});
    if (single != single_.end()) {
      edges_[k].push_back(single->second);
    } else if (const auto family = families_.find(symbol); family != families_.end()) {
      edges_[k].insert(edges_[k].end(), family->second.begin(), family->second.end());
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
  std::vector<std::size_t> order;
  for (std::optional<SymbolId> entangled;; entangled.reset()) {
    const InitialDependences dependences(graph, parameters, initial, expanded);
    try {
      order = topological_order(dependences.edges(), [&](std::span<const std::size_t> cycle) {
        entangled = dependences.only_target(cycle);
        if (!entangled || expanded.contains(*entangled)) dependences.report(cycle);
        throw Entangled{};
      });
      break;
    } catch (const Entangled&) {
      // Its entries may still have an order.
      Expansion(graph, parameters)(*entangled, initial);
      expanded.insert(*entangled);
    }
  }
  std::vector<Assignment> ordered;
  ordered.reserve(initial.size());
  for (const std::size_t node : order)
    if (node < initial.size()) ordered.push_back(std::move(initial[node]));
  initial = std::move(ordered);
}

}  // namespace cotangent
