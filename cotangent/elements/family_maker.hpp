#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/loop_nest.hpp"
#include "cotangent/elements/model_symbols.hpp"

namespace cotangent {

/// Makes element functions of expressions without sums: variables become slots, what depends on loop indices alone
/// columns, and both find their numbers by index maps.
class FamilyMaker {
 public:
  /// @param symbols must outlive this.
  explicit FamilyMaker(const ModelSymbols& symbols) : symbols_(symbols) {}

  /// e, in each instance of the loops, added to a row.
  /// @throws std::invalid_argument for an index that leaves its array.
  Family make(Expr e, const LoopNest& instances, const IndexMap& row);

  /// Declares a symbol for group variables, from `first` on: one for each instance of the first `depth` loops.
  void declare_group(SymbolId symbol, std::int64_t first, std::size_t depth) {
    groups_.emplace(symbol, Group{first, depth, {}});
  }
  /// The same where an expression in the indices of the loops says which one an instance uses.
  void declare_group(SymbolId symbol, std::int64_t first, Expr place) {
    groups_.emplace(symbol, Group{first, 0, place});
  }

  /// Adds group variables to rows: those of `from`, for so many instances.
  Family copy(const IndexMap& from, const IndexMap& row, std::int64_t count);

  /// The index of loops at a depth. Loop indices, slots and columns have the same symbols in every family: equal
  /// functions are equal nodes.
  SymbolId index_symbol(std::size_t depth) {
    return numbered(index_symbols_, depth, "i", SymbolKind::index).symbol_id();
  }

 private:
  struct Group {
    std::int64_t first;
    std::size_t depth;
    Expr place;  // valid if this counts, and not the instances of the first loops
  };

  Expr with_table_numbers(Expr e);
  Family::Slot make_slot(Expr variable, Expr symbol, const LoopNest& instances);
  void move_to_columns(Family& family, const LoopNest& instances);
  Family::Column make_column(Expr symbol, Expr value, const LoopNest& instances);
  Expr numbered(std::vector<Expr>& symbols, std::size_t k, const char* prefix, SymbolKind kind);

  const ModelSymbols& symbols_;
  std::unordered_map<SymbolId, Group> groups_;
  std::vector<Expr> index_symbols_, slot_symbols_, column_symbols_, entry_symbols_;
};

}  // namespace cotangent
