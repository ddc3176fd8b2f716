#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "cotangent/base/check.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/loop_nest.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// An inner sum with at most this many terms is written out instead of becoming a group.
constexpr std::int64_t kUnrolledTerms = 4;

// Beyond these sizes terms of one loop go to separate families: kernels stay small.
constexpr std::size_t kMaxSlots = 24;
constexpr std::size_t kMaxNodes = 300;

bool is_sum(Expr e) { return e.op() == Op::sum; }

bool is_variable(Expr e) {
  if (e.op() != Op::symbol && e.op() != Op::entry) return false;
  const SymbolKind kind = e.symbol().kind;
  return kind != SymbolKind::index && kind != SymbolKind::parameter;
}

bool same_loops(const std::vector<Loop>& a, const std::vector<Loop>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Loop& s, const Loop& t) { return s.index == t.index && s.lo == t.lo && s.hi == t.hi; });
}

// Terms that are summed over the same loops.
struct Nest {
  std::vector<Loop> loops;
  std::vector<Expr> terms;
};

// The nodes of e that satisfy the predicate, not looking below them.
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

class Extractor {
 public:
  explicit Extractor(const Model& model) : graph_(*model.graph) {
    elements_.graph = model.graph;
    elements_.n = model.dimension();
    for (const Parameter& parameter : model.parameters)
      values_.emplace(graph_.symbol_expr(parameter.symbol).id(), graph_.constant(parameter.value));
    for (const Coordinate& coordinate : model.coordinates) {
      variables_.emplace(coordinate.q, Variable{&coordinate, Space::q});
      variables_.emplace(coordinate.p, Variable{&coordinate, Space::p});
    }
    add(substitute(model.energy, values_), {}, 0, elements_.energy);
    for (const Constraint& constraint : model.constraints) add_constraint(constraint);
  }

  Elements result() && { return std::move(elements_); }

 private:
  struct Variable {
    const Coordinate* coordinate;
    Space space;
  };
  struct Group {
    std::int64_t first;
    int depth;  // one group variable for each instance of that many outer loops
  };

  void add_constraint(const Constraint& constraint) {
    std::vector<Loop> loops;
    Replacement rename = values_;
    for (const Loop& loop : constraint.loops) {
      const auto depth = loops.size();
      loops.push_back({index_symbol(depth), substitute(loop.lo, rename), substitute(loop.hi, rename)});
      rename.emplace(graph_.symbol_expr(loop.index).id(), graph_.symbol_expr(index_symbol(depth)));
    }
    const LoopNest nest(loops);
    ConstraintRows rows{constraint.name, elements_.m, nest.count(), !loops.empty(), {}};
    for (int l = 0; l < nest.depth(); ++l) rows.indices.push_back(nest.index(l));
    add(substitute(constraint.components[0], rename), loops, elements_.m, elements_.constraints);
    elements_.m += nest.count();
    elements_.rows.push_back(std::move(rows));
  }

  // Adds the families of e, summed into one row for each instance of the outer loops.
  void add(Expr e, const std::vector<Loop>& outer, std::int64_t first_row, std::vector<Family>& families) {
    std::vector<Nest> nests;
    split(e, graph_.constant(1), outer, nests);
    for (const Nest& nest : nests) {
      const LoopNest instances(nest.loops);
      if (instances.count() == 0) continue;
      const IndexMap row = instances.prefix(static_cast<int>(outer.size())).shifted(first_row);
      add_families(nest, instances, row, families);
    }
  }

  // Distributes coefficient * e over sums: its terms, each with the loops it is summed over.
  void split(Expr e, Expr coefficient, const std::vector<Loop>& loops, std::vector<Nest>& nests) {
    const auto without_variables = [](Expr factor) {
      return !depends_on(factor, [](Expr x) { return is_variable(x) || is_sum(x); });
    };
    if (e.op() == Op::add) {
      split(e.arg(0), coefficient, loops, nests);
      split(e.arg(1), coefficient, loops, nests);
    } else if (!depends_on(e, is_sum)) {
      collect(coefficient * e, loops, nests);
    } else if (e.op() == Op::sum) {
      auto inside = loops;
      const Expr index = graph_.symbol_expr(index_symbol(loops.size()));
      inside.push_back({index.symbol_id(), e.arg(0), e.arg(1)});
      split(substitute(e.arg(2), {{graph_.symbol_expr(e.symbol_id()).id(), index}}), coefficient, inside, nests);
    } else if (e.op() == Op::mul && without_variables(e.arg(0))) {
      split(e.arg(1), coefficient * e.arg(0), loops, nests);
    } else if (e.op() == Op::mul && without_variables(e.arg(1))) {
      split(e.arg(0), coefficient * e.arg(1), loops, nests);
    } else if (e.op() == Op::div && without_variables(e.arg(1))) {
      split(e.arg(0), coefficient / e.arg(1), loops, nests);
    } else {
      collect(coefficient * with_groups(e, loops), loops, nests);
    }
  }

  static void collect(Expr term, const std::vector<Loop>& loops, std::vector<Nest>& nests) {
    const auto same = [&](const Nest& nest) { return same_loops(nest.loops, loops); };
    auto nest = std::find_if(nests.begin(), nests.end(), same);
    if (nest == nests.end()) nest = nests.insert(nests.end(), Nest{loops, {}});
    nest->terms.push_back(term);
  }

  // e with the sums inside it written out, if short, or replaced by group variables.
  Expr with_groups(Expr e, const std::vector<Loop>& loops) {
    Replacement replacement;
    for (const Expr& s : topmost(e, is_sum)) {
      const Expr lo = s.arg(0), hi = s.arg(1);
      const bool is_short =
          lo.is_constant() && hi.is_constant() && hi.value() - lo.value() < static_cast<Quad>(kUnrolledTerms);
      replacement.emplace(s.id(), is_short ? with_groups(unrolled(s), loops) : group_variable(s, loops));
    }
    return substitute(e, replacement);
  }

  Expr unrolled(Expr s) {
    const NodeId index = graph_.symbol_expr(s.symbol_id()).id();
    Expr total = graph_.constant(0);
    for (Quad i = s.arg(0).value(); i <= s.arg(1).value(); i += 1)
      total = total + substitute(s.arg(2), {{index, graph_.constant(i)}});
    return total;
  }

  Expr group_variable(Expr s, const std::vector<Loop>& loops) {
    // One variable for each instance of the loops that the sum depends on.
    std::size_t depth = loops.size();
    const auto depends_on_loop = [&](std::size_t l) {
      const Expr index = graph_.symbol_expr(loops[l].index);
      return depends_on(s, [&](Expr x) { return x == index; });
    };
    while (depth > 0 && !depends_on_loop(depth - 1)) --depth;
    const std::vector<Loop> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(depth));

    auto& known = known_groups_[s.id()];
    for (const auto& [known_loops, symbol] : known)
      if (same_loops(known_loops, outer)) return symbol;

    // Inner groups come first, so the place of this one is known only after its families were made.
    const std::int64_t count = LoopNest(outer).count();
    std::vector<Family> families;
    add(s, outer, 0, families);
    const std::int64_t first = elements_.group_count;
    elements_.group_count += count;
    for (Family& family : families) {
      family.row = family.row.shifted(first);
      elements_.groups.push_back(std::move(family));
    }
    const Expr symbol = graph_.new_symbol(fmt::format("w{}", first), SymbolKind::local);
    groups_.emplace(symbol.symbol_id(), Group{first, static_cast<int>(depth)});
    known.emplace_back(outer, symbol);
    return symbol;
  }

  // Families of the terms of one nest, none too large.
  void add_families(const Nest& nest, const LoopNest& instances, const IndexMap& row, std::vector<Family>& families) {
    std::vector<Expr> batch;
    std::size_t slots = 0, nodes = 0;
    const auto flush = [&] {
      if (batch.empty()) return;
      Expr f = batch[0];
      for (std::size_t k = 1; k < batch.size(); ++k) f = f + batch[k];
      families.push_back(make_family(f, instances, row));
      batch.clear();
      slots = nodes = 0;
    };
    for (const Expr& term : nest.terms) {
      const std::size_t term_slots = topmost(term, is_variable).size();
      const std::size_t term_nodes = reachable(std::array{term}).size();
      if (slots + term_slots > kMaxSlots || nodes + term_nodes > kMaxNodes) flush();
      batch.push_back(term);
      slots += term_slots;
      nodes += term_nodes;
    }
    flush();
  }

  Family make_family(Expr e, const LoopNest& instances, const IndexMap& row) {
    Family family;
    family.count = instances.count();
    family.row = row;
    Replacement to_slot;
    for (const Expr& variable : topmost(e, is_variable)) {
      const Expr symbol = slot_symbol(family.slots.size());
      to_slot.emplace(variable.id(), symbol);
      family.slots.push_back(make_slot(variable, symbol, instances));
    }
    family.f = substitute(e, to_slot);
    for (int l = 0; l < instances.depth(); ++l) {
      const Expr index = graph_.symbol_expr(instances.loops()[static_cast<std::size_t>(l)].index);
      family.indices.push_back({index, instances.index(l)});
    }
    move_to_columns(family);
    return family;
  }

  Family::Slot make_slot(Expr variable, Expr symbol, const LoopNest& instances) {
    if (const auto group = groups_.find(variable.symbol_id()); group != groups_.end())
      return {symbol, Space::w, instances.prefix(group->second.depth).shifted(group->second.first)};

    const auto found = variables_.find(variable.symbol_id());
    if (found == variables_.end()) {
      if (variable.symbol().kind == SymbolKind::time)
        throw std::invalid_argument("the time t in a Hamiltonian or a constraint is not supported by this version yet");
      throw std::invalid_argument(fmt::format("'{}' is neither a coordinate nor a momentum", variable.symbol().name));
    }
    const auto& [coordinate, space] = found->second;
    Expr index = graph_.constant(0);
    std::int64_t stride = 1;
    for (int d = 0; d < variable.arity(); ++d) {
      index = index + (variable.arg(d) - 1) * static_cast<double>(stride);
      stride *= coordinate->shape[static_cast<std::size_t>(d)];
    }
    const IndexMap inside = instances.map(index);
    const auto [low, high] = inside.bounds(instances.count());
    if (low < 0 || high >= coordinate->size())
      throw std::invalid_argument(
          fmt::format("the index of {} leaves the array in some instance of its loop", to_string(variable)));
    return {symbol, space, inside.shifted(coordinate->offset)};
  }

  // What depends on loop indices but on no variable is a number of the instance: it moves to a column.
  void move_to_columns(Family& family) {
    std::unordered_set<NodeId> on_slot, on_index;
    for (const auto& slot : family.slots) on_slot.insert(slot.symbol.id());
    for (const auto& index : family.indices) on_index.insert(index.symbol.id());
    for (const Expr& e : reachable(std::array{family.f})) {
      for (int k = 0; k < e.arity(); ++k) {
        if (on_slot.contains(e.arg(k).id())) on_slot.insert(e.id());
        if (on_index.contains(e.arg(k).id())) on_index.insert(e.id());
      }
    }
    Replacement replacement;
    const auto is_column = [&](Expr e) { return on_index.contains(e.id()) && !on_slot.contains(e.id()); };
    for (const Expr& value : topmost(family.f, is_column)) {
      const Expr symbol = column_symbol(family.columns.size());
      family.columns.push_back({symbol, value});
      replacement.emplace(value.id(), symbol);
    }
    family.f = substitute(family.f, replacement);
  }

  // Loop indices, slots and columns have the same symbols in every family: equal functions are equal nodes.
  SymbolId index_symbol(std::size_t depth) {
    return numbered(index_symbols_, depth, "i", SymbolKind::index).symbol_id();
  }
  Expr slot_symbol(std::size_t k) { return numbered(slot_symbols_, k, "x", SymbolKind::local); }
  Expr column_symbol(std::size_t k) { return numbered(column_symbols_, k, "d", SymbolKind::local); }

  Expr numbered(std::vector<Expr>& symbols, std::size_t k, const char* prefix, SymbolKind kind) {
    while (symbols.size() <= k) symbols.push_back(graph_.new_symbol(fmt::format("{}{}", prefix, symbols.size()), kind));
    return symbols[k];
  }

  Graph& graph_;
  Elements elements_;
  Replacement values_;  // of the parameters
  std::unordered_map<SymbolId, Variable> variables_;
  std::unordered_map<SymbolId, Group> groups_;
  std::unordered_map<NodeId, std::vector<std::pair<std::vector<Loop>, Expr>>> known_groups_;
  std::vector<Expr> index_symbols_, slot_symbols_, column_symbols_;
};

}  // namespace

Elements extract_elements(const Model& model) { return Extractor(model).result(); }

std::vector<std::int64_t> Elements::free_coordinates() const {
  std::vector<bool> used(static_cast<std::size_t>(n), false), used_group(static_cast<std::size_t>(group_count), false);
  const auto mark = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space == Space::p) continue;
      auto& marks = slot.space == Space::q ? used : used_group;
      for (std::int64_t k = 0; k < family.count; ++k) marks[static_cast<std::size_t>(slot.at(k))] = true;
    }
  };
  for (const Family& family : constraints) mark(family);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    bool is_used = false;
    for (std::int64_t k = 0; k < group->count && !is_used; ++k)
      is_used = used_group[static_cast<std::size_t>(group->row(k))];
    if (is_used) mark(*group);
  }
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < n; ++j)
    if (!used[static_cast<std::size_t>(j)]) result.push_back(j);
  return result;
}

std::string Elements::row_name(std::int64_t r) const {
  for (const ConstraintRows& constraint : rows) {
    const std::int64_t k = r - constraint.first;
    if (k < 0 || k >= constraint.count) continue;
    if (!constraint.is_family) return constraint.name;
    std::string text = constraint.name + "[";
    for (std::size_t l = 0; l < constraint.indices.size(); ++l)
      text += fmt::format("{}{}", l > 0 ? "," : "", constraint.indices[l](k));
    return text + "]";
  }
  COTANGENT_CHECK(!"r is a row");
  return {};
}

}  // namespace cotangent
