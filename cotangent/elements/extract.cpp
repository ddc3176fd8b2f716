#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "cotangent/base/check.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/legendre.hpp"
#include "cotangent/elements/loop_nest.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// An inner sum with at most this many terms is written out instead of becoming a group.
constexpr std::int64_t kUnrolledTerms = 4;

// Of all constraints together, of all observables, and of all invariants.
constexpr std::int64_t kMaxRows = 100'000'000;

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

// The parts of (q, p, v, s).
bool is_initial(Space space) {
  return space == Space::q || space == Space::p || space == Space::v || space == Space::s;
}
std::int64_t first_of(Space space, std::int64_t n) {
  switch (space) {
    case Space::p:
      return n;
    case Space::v:
      return 2 * n;
    case Space::s:
      return 3 * n;
    default:
      return 0;
  }
}

class Extractor {
 public:
  explicit Extractor(const Model& model) : graph_(*model.graph) {
    elements_.graph = model.graph;
    elements_.dynamics = model.dynamics;
    elements_.n = model.dimension();
    for (const Parameter& parameter : model.parameters) {
      if (parameter.shape.empty()) {
        values_.emplace(graph_.symbol_expr(parameter.symbol).id(), graph_.constant(parameter.value));
      } else {
        const auto number = static_cast<int>(elements_.tables.size());
        tables_.emplace(parameter.symbol, Table{number, parameter.shape, &parameter.table});
        elements_.tables.push_back(parameter.table);
      }
    }
    for (const Coordinate& c : model.coordinates) {
      variables_.emplace(c.q, Variable{Space::q, c.offset, c.shape});
      variables_.emplace(c.p, Variable{Space::p, c.offset, c.shape});
      variables_.emplace(c.v, Variable{Space::v, c.offset, c.shape});
    }
    for (const State& state : model.states) {
      variables_.emplace(state.symbol, Variable{Space::s, state.offset, state.shape});
      elements_.states += state.size();
    }
    variables_.emplace(model.t.symbol_id(), Variable{Space::t, 0, {}});
  }

  Elements everything(const Model& model) && {
    // What is refused is refused at its place.
    const auto at = [&](const Location& where, const auto& work) {
      try {
        work();
      } catch (const std::invalid_argument& error) {
        throw refusal(model, where, error.what());
      }
    };
    at(model.energy_where, [&] { add(numbers(model.energy), {}, IndexMap::fixed(0), elements_.energy); });
    unrolls_outermost_ = true;
    for (const Constraint& constraint : model.constraints) {
      const std::int64_t first = elements_.m;
      at(constraint.where, [&] { elements_.m = add_named(constraint, first, elements_.constraints, elements_.rows); });
      const std::vector<std::int64_t> shape(static_cast<std::size_t>(graph_.symbol(constraint.lambda).rank),
                                            elements_.m - first);
      variables_.emplace(constraint.lambda, Variable{Space::lambda, first, shape});
    }
    if (model.dissipation.valid())
      at(model.dissipation_where,
         [&] { add(numbers(model.dissipation), {}, IndexMap::fixed(0), elements_.dissipation); });
    for (const Assignment& force : model.forces) at(force.where, [&] { add_assignment(force, elements_.forces); });
    for (const Assignment& rate : model.rates) at(rate.where, [&] { add_assignment(rate, elements_.rates); });
    std::int64_t observables = 0, invariants = 0;
    for (const NamedValues& values : model.observables)
      at(values.where,
         [&] { observables = add_named(values, observables, elements_.observables, elements_.observable_rows); });
    for (const NamedValues& values : model.invariants)
      at(values.where,
         [&] { invariants = add_named(values, invariants, elements_.invariants, elements_.invariant_rows); });
    return std::move(elements_);
  }

  InitialElements initial(const Model& model) && {
    const std::int64_t n = elements_.n;
    values_.emplace(model.t.id(), graph_.constant(0));
    InitialElements result;
    result.graph = model.graph;
    result.n = n;
    result.states = elements_.states;
    for (const Assignment& each : model.initial) {
      const Assignment* assignment = &each;
      const auto target = variables_.find(assignment->target);
      if (target == variables_.end() || !is_initial(target->second.space))
        throw std::invalid_argument(fmt::format("'{}' has no initial value", graph_.symbol(assignment->target).name));
      known_groups_.clear();
      elements_.groups.clear();
      elements_.group_count = 0;
      InitialElements::Step step;
      step.assignment = assignment;
      const std::int64_t first = first_of(target->second.space, n);
      Replacement rename = values_;
      const std::vector<Loop> loops = renamed(assignment->loops, rename);
      std::tie(step.count, step.rows) = rows_of(*assignment, loops, rename, first);
      add(numbers(assignment->value, rename), loops, IndexMap::affine(0, 1), step.families);
      step.groups = std::move(elements_.groups);
      step.group_count = elements_.group_count;
      result.steps.push_back(std::move(step));
    }
    result.tables = std::move(elements_.tables);
    return result;
  }

 private:
  struct Variable {
    Space space;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };
  struct Group {
    std::int64_t first;
    int depth;  // one group variable for each instance of that many outer loops
  };

  // e with numbers for parameters, and whatever else the replacement says.
  Expr numbers(Expr e, const Replacement& rename) { return substitute(e, rename); }
  Expr numbers(Expr e) { return substitute(e, values_); }

  // Entries of tables with known indices are numbers.
  Expr with_table_numbers(Expr e) {
    Replacement replacement;
    for (const Expr& x : reachable(std::array{e})) {
      if (x.op() != Op::entry || !tables_.contains(x.symbol_id())) continue;
      bool is_known = true;
      for (int d = 0; d < x.arity(); ++d) is_known = is_known && x.arg(d).is_constant();
      if (is_known) replacement.emplace(x.id(), graph_.constant(table_value(x)));
    }
    return replacement.empty() ? e : with_table_numbers(substitute(e, replacement));
  }

  Quad table_value(Expr entry) const {
    const Table& table = tables_.at(entry.symbol_id());
    return (*table.values)[static_cast<std::size_t>(LoopNest({}, tables_).map(flat_index(entry, table.shape))(0))];
  }

  // (i_1 - 1) + N_1 ((i_2 - 1) + N_2 ...)
  Expr flat_index(Expr entry, const std::vector<std::int64_t>& shape) const {
    std::vector<Expr> indices;
    for (int d = 0; d < entry.arity(); ++d) indices.push_back(entry.arg(d));
    return flat_index(indices, shape);
  }
  Expr flat_index(const std::vector<Expr>& indices, const std::vector<std::int64_t>& shape) const {
    Expr index = graph_.constant(0);
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      index = index + (indices[d] - 1) * static_cast<double>(stride);
      stride *= shape[d];
    }
    return index;
  }

  // Loops with indices that all families share, and the replacement that leads to them.
  std::vector<Loop> renamed(const std::vector<Loop>& loops, Replacement& rename) {
    std::vector<Loop> result;
    for (const Loop& loop : loops) {
      const auto depth = result.size();
      result.push_back({index_symbol(depth), numbers(loop.lo, rename), numbers(loop.hi, rename)});
      rename.emplace(graph_.symbol_expr(loop.index).id(), graph_.symbol_expr(index_symbol(depth)));
    }
    return result;
  }

  // @return the row after the last one.
  std::int64_t add_named(const NamedValues& values, std::int64_t first, std::vector<Family>& families,
                         std::vector<NamedRows>& names) {
    Replacement rename = values_;
    const std::vector<Loop> loops = renamed(values.loops, rename);
    const LoopNest nest(loops, tables_);
    if (first + nest.count() * static_cast<std::int64_t>(values.components.size()) > kMaxRows)
      throw std::invalid_argument(fmt::format("'{}' has too many values: the limit is {}", values.name, kMaxRows));
    NamedRows rows;
    rows.name = values.name;
    rows.first = first;
    rows.components = static_cast<std::int64_t>(values.components.size());
    rows.count = nest.count() * rows.components;
    rows.is_vector = values.is_vector;
    for (const Expr& label : values.labels) rows.indices.push_back(nest.map(numbers(label, rename)));
    for (std::int64_t c = 0; c < rows.components; ++c)
      add(numbers(values.components[static_cast<std::size_t>(c)], rename), loops,
          IndexMap::affine(first + c, rows.components), families);
    names.push_back(rows);
    return first + rows.count;
  }

  void add_assignment(const Assignment& assignment, std::vector<Family>& families) {
    Replacement rename = values_;
    const std::vector<Loop> loops = renamed(assignment.loops, rename);
    add(numbers(assignment.value, rename), loops, rows_of(assignment, loops, rename, 0).second, families);
  }

  // How many entries are assigned, and where: from the entry `first` on.
  std::pair<std::int64_t, IndexMap> rows_of(const Assignment& assignment, const std::vector<Loop>& loops,
                                            const Replacement& rename, std::int64_t first) {
    const Variable& target = variables_.at(assignment.target);
    const LoopNest nest(loops, tables_);
    std::vector<Expr> indices;
    for (const Expr& index : assignment.indices) indices.push_back(numbers(index, rename));
    return {nest.count(), nest.map(flat_index(indices, target.shape)).shifted(first + target.offset)};
  }

  // Adds the families of e, summed into one row for each instance of the outer loops.
  void add(Expr e, const std::vector<Loop>& outer, const IndexMap& rows, std::vector<Family>& families) {
    std::vector<Nest> nests;
    split(e, graph_.constant(1), outer, nests);
    for (const Nest& nest : nests) {
      const LoopNest instances(nest.loops, tables_);
      if (instances.count() == 0) continue;
      const IndexMap row = rows.after(instances.prefix(static_cast<int>(outer.size())), instances.count());
      add_families(nest, instances, row, families);
    }
  }

  // The terms of a sum of sums, from left to right, and how often each occurs in it. A sum may be long (no recursion)
  // and contain another one many times (no second visit).
  std::vector<std::pair<Expr, Expr>> terms_of(Expr e) const {
    struct Visit {
      Expr e;
      bool is_open;
    };
    std::vector<Expr> order;  // arguments before what uses them
    std::unordered_map<NodeId, Quad> times;
    for (std::vector<Visit> stack{{e, false}}; !stack.empty();) {
      const Visit visit = stack.back();
      stack.pop_back();
      if (visit.is_open) {
        order.push_back(visit.e);
      } else if (times.emplace(visit.e.id(), 0).second) {
        stack.push_back({visit.e, true});
        if (visit.e.op() != Op::add) continue;
        stack.push_back({visit.e.arg(1), false});
        stack.push_back({visit.e.arg(0), false});
      }
    }
    times[e.id()] = 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it)
      for (int k = 0; k < (it->op() == Op::add ? 2 : 0); ++k) times[it->arg(k).id()] += times[it->id()];
    std::vector<std::pair<Expr, Expr>> terms;
    for (const Expr& term : order)
      if (term.op() != Op::add) terms.emplace_back(term, graph_.constant(times[term.id()]));
    return terms;
  }

  // Distributes coefficient * e over sums: its terms, each with the loops it is summed over.
  void split(Expr e, Expr coefficient, const std::vector<Loop>& loops, std::vector<Nest>& nests) {
    const auto without_variables = [](Expr factor) {
      return !depends_on(factor, [](Expr x) { return is_variable(x) || is_sum(x); });
    };
    if (e.op() == Op::add) {
      for (const auto& [term, times] : terms_of(e)) split(term, coefficient * times, loops, nests);
    } else if (!depends_on(e, is_sum)) {
      collect(coefficient * e, loops, nests);
    } else if (e.op() == Op::sum && (!loops.empty() || unrolls_outermost_) && is_short(e)) {
      // Components of a vector, mostly: instances of the outer loop alone have simpler index lists.
      split(unrolled(e), coefficient, loops, nests);
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
      replacement.emplace(s.id(), is_short(s) ? with_groups(unrolled(s), loops) : group_variable(s, loops));
    }
    return substitute(e, replacement);
  }

  static bool is_short(Expr sum) {
    const Expr lo = sum.arg(0), hi = sum.arg(1);
    return lo.is_constant() && hi.is_constant() && hi.value() - lo.value() < static_cast<Quad>(kUnrolledTerms);
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
    const std::int64_t count = LoopNest(outer, tables_).count();
    std::vector<Family> families;
    add(s, outer, IndexMap::affine(0, 1), families);
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
    e = with_table_numbers(e);
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
    move_to_columns(family, instances);
    return family;
  }

  Family::Slot make_slot(Expr variable, Expr symbol, const LoopNest& instances) {
    if (const auto group = groups_.find(variable.symbol_id()); group != groups_.end())
      return {symbol, Space::w, instances.prefix(group->second.depth).shifted(group->second.first)};

    const auto found = variables_.find(variable.symbol_id());
    if (found == variables_.end())
      throw std::invalid_argument(fmt::format("'{}' cannot be used here", variable.symbol().name));
    const Variable& of = found->second;
    const IndexMap inside = instances.map(flat_index(variable, of.shape));
    std::int64_t size = 1;
    for (const std::int64_t extent : of.shape) size *= extent;
    const auto [low, high] = inside.bounds(instances.count());
    if (low < 0 || high >= size)
      throw std::invalid_argument(
          fmt::format("the index of {} leaves the array in some instance of its loop", to_string(variable)));
    return {symbol, of.space, inside.shifted(of.offset)};
  }

  // What depends on loop indices but on no variable is a number of the instance: it moves to a column.
  void move_to_columns(Family& family, const LoopNest& instances) {
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
      family.columns.push_back(make_column(symbol, value, instances));
      replacement.emplace(value.id(), symbol);
    }
    family.f = substitute(family.f, replacement);
  }

  Family::Column make_column(Expr symbol, Expr value, const LoopNest& instances) {
    Family::Column column{symbol, value};
    Replacement replacement;
    const auto is_table_entry = [&](Expr e) { return e.op() == Op::entry && tables_.contains(e.symbol_id()); };
    for (const Expr& entry : topmost(value, is_table_entry)) {
      const Table& table = tables_.at(entry.symbol_id());
      const Expr place = entry_symbol(column.entries.size());
      column.entries.push_back({place, table.number, instances.map(flat_index(entry, table.shape))});
      replacement.emplace(entry.id(), place);
    }
    column.value = substitute(value, replacement);
    return column;
  }

  // Loop indices, slots and columns have the same symbols in every family: equal functions are equal nodes.
  SymbolId index_symbol(std::size_t depth) {
    return numbered(index_symbols_, depth, "i", SymbolKind::index).symbol_id();
  }
  Expr slot_symbol(std::size_t k) { return numbered(slot_symbols_, k, "x", SymbolKind::local); }
  Expr column_symbol(std::size_t k) { return numbered(column_symbols_, k, "d", SymbolKind::local); }
  Expr entry_symbol(std::size_t k) { return numbered(entry_symbols_, k, "c", SymbolKind::local); }

  Expr numbered(std::vector<Expr>& symbols, std::size_t k, const char* prefix, SymbolKind kind) {
    while (symbols.size() <= k) symbols.push_back(graph_.new_symbol(fmt::format("{}{}", prefix, symbols.size()), kind));
    return symbols[k];
  }

  Graph& graph_;
  Elements elements_;
  Replacement values_;  // of the parameters
  Tables tables_;
  bool unrolls_outermost_ = false;  // for rows, which then are one instance each
  std::unordered_map<SymbolId, Variable> variables_;
  std::unordered_map<SymbolId, Group> groups_;
  std::unordered_map<NodeId, std::vector<std::pair<std::vector<Loop>, Expr>>> known_groups_;
  std::vector<Expr> index_symbols_, slot_symbols_, column_symbols_, entry_symbols_;
};

}  // namespace

Elements extract_elements(const Model& model) {
  Elements elements = Extractor(model).everything(model);
  if (elements.dynamics == Dynamics::lagrangian) transform_point_masses(elements);
  return elements;
}

InitialElements extract_initial(const Model& model) { return Extractor(model).initial(model); }

bool Family::uses(Space space) const {
  return std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.space == space; });
}

bool Elements::depends_on(const std::vector<Family>& families, Space space) const {
  std::vector<bool> needed(static_cast<std::size_t>(group_count), false);
  const auto visit = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::w) continue;
      for (std::int64_t k = 0; k < family.count; ++k) needed[static_cast<std::size_t>(slot.at(k))] = true;
    }
    return family.uses(space);
  };
  bool found = false;
  for (const Family& family : families) found = visit(family) || found;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    bool is_needed = false;
    for (std::int64_t k = 0; k < group->count && !is_needed; ++k)
      is_needed = needed[static_cast<std::size_t>(group->row(k))];
    if (is_needed) found = visit(*group) || found;
  }
  return found;
}

bool Elements::uses_multipliers() const {
  return depends_on(forces, Space::lambda) || depends_on(rates, Space::lambda);
}

bool Elements::is_autonomous() const {
  if (declared) return declared->is_autonomous;
  return !depends_on(energy, Space::t) && !depends_on(constraints, Space::t);
}

std::vector<std::int64_t> Elements::free_coordinates() const {
  std::vector<bool> used(static_cast<std::size_t>(n), false), used_group(static_cast<std::size_t>(group_count), false);
  const auto mark = [&](const Family& family) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::q && slot.space != Space::w) continue;
      auto& marks = slot.space == Space::q ? used : used_group;
      for (std::int64_t k = 0; k < family.count; ++k) marks[static_cast<std::size_t>(slot.at(k))] = true;
    }
  };
  for (const Family& family : constraints) mark(family);
  if (declared)
    for (const auto& [row, column] : declared->constraint_places) used[static_cast<std::size_t>(column)] = true;
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

std::string NamedRows::row_name(std::int64_t row) const {
  const std::int64_t instance = (row - first) / components, component = (row - first) % components;
  std::vector<std::int64_t> labels;
  for (const IndexMap& index : indices) labels.push_back(index(instance));
  if (is_vector) labels.push_back(component + 1);
  return labels.empty() ? name : fmt::format("{}[{}]", name, fmt::join(labels, ","));
}

std::string Elements::row_name(std::int64_t r) const {
  for (const NamedRows& constraint : rows)
    if (r >= constraint.first && r < constraint.first + constraint.count) return constraint.row_name(r);
  COTANGENT_CHECK(!"r is a row");
  return {};
}

}  // namespace cotangent
