#include "cotangent/elements/family_maker.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <unordered_set>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/shape.hpp"

namespace cotangent {

Family FamilyMaker::make(Expr e, const LoopNest& instances, const IndexMap& row) {
  e = with_table_numbers(e);
  Family family;
  family.count = instances.count();
  family.row = row;
  Replacement to_slot;
  for (const Expr& variable : topmost(e, is_variable)) {
    const Expr symbol = numbered(slot_symbols_, family.slots.size(), "x", SymbolKind::local);
    to_slot.emplace(variable.id(), symbol);
    family.slots.push_back(make_slot(variable, symbol, instances));
  }
  family.f = substitute(e, to_slot);
  for (std::size_t l = 0; l < instances.loops().size(); ++l)
    family.indices.push_back({symbols_.graph.symbol_expr(instances.loops()[l].index), instances.index(l)});
  move_to_columns(family, instances);
  return family;
}

Family FamilyMaker::copy(const IndexMap& from, const IndexMap& row, std::int64_t count) {
  const Expr symbol = numbered(slot_symbols_, 0, "x", SymbolKind::local);
  Family family;
  family.count = count;
  family.slots.push_back({symbol, Space::w, from});
  family.f = symbol;
  family.row = row;
  return family;
}

Family::Slot FamilyMaker::make_slot(Expr variable, Expr symbol, const LoopNest& instances) {
  if (const auto found = groups_.find(variable.symbol_id()); found != groups_.end()) {
    const auto& [first, depth, place] = found->second;
    return {symbol, Space::w, (place.valid() ? instances.map(place) : instances.prefix(depth)).shifted(first)};
  }

  const auto found = symbols_.variables.find(variable.symbol_id());
  if (found == symbols_.variables.end())
    throw std::invalid_argument(fmt::format("'{}' cannot be used here", variable.symbol().name));
  const ModelSymbols::Variable& of = found->second;
  const IndexMap inside = instances.map(flat_index(variable, of.shape));
  const auto [low, high] = inside.bounds(instances.count());
  if (low < 0 || high >= entry_count(of.shape))
    throw std::invalid_argument(
        fmt::format("the index of {} leaves the array in some instance of its loop", to_string(variable)));
  return {symbol, of.space, inside.shifted(of.offset)};
}

// What depends on loop indices but on no variable is a number of the instance: it moves to a column.
void FamilyMaker::move_to_columns(Family& family, const LoopNest& instances) {
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
    const Expr symbol = numbered(column_symbols_, family.columns.size(), "d", SymbolKind::local);
    family.columns.push_back(make_column(symbol, value, instances));
    replacement.emplace(value.id(), symbol);
  }
  family.f = substitute(family.f, replacement);
}

Family::Column FamilyMaker::make_column(Expr symbol, Expr value, const LoopNest& instances) {
  Family::Column column{symbol, value};
  Replacement replacement;
  const auto is_table_entry = [&](Expr e) { return e.op() == Op::entry && symbols_.tables.contains(e.symbol_id()); };
  for (const Expr& entry : topmost(value, is_table_entry)) {
    const auto& shape = symbols_.tables.at(entry.symbol_id())->shape;
    const Expr place = numbered(entry_symbols_, column.entries.size(), "c", SymbolKind::local);
    column.entries.push_back(
        {place, symbols_.table_numbers.at(entry.symbol_id()), instances.map(flat_index(entry, shape))});
    replacement.emplace(entry.id(), place);
  }
  column.value = substitute(value, replacement);
  return column;
}

// Entries of tables with known indices are numbers.
Expr FamilyMaker::with_table_numbers(Expr e) {
  Replacement replacement;
  for (const Expr& x : reachable(std::array{e})) {
    if (x.op() != Op::entry || !symbols_.tables.contains(x.symbol_id())) continue;
    bool is_known = true;
    for (int d = 0; d < x.arity(); ++d) is_known = is_known && x.arg(d).is_constant();
    if (is_known) replacement.emplace(x.id(), symbols_.graph.constant(known_value(x, symbols_.tables)));
  }
  return replacement.empty() ? e : with_table_numbers(substitute(e, replacement));
}

Expr FamilyMaker::numbered(std::vector<Expr>& symbols, std::size_t k, const char* prefix, SymbolKind kind) {
  while (symbols.size() <= k)
    symbols.push_back(symbols_.graph.new_symbol(fmt::format("{}{}", prefix, symbols.size()), kind));
  return symbols[k];
}

}  // namespace cotangent
