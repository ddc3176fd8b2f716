#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/loop_nest.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// What the symbols of a model stand for in its elements.
struct ModelSymbols {
  /// Entries of a variable are those of a vector, from `offset` on.
  struct Variable {
    Space space;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };

  /// Without the multipliers, whose places are known when the constraints have been counted.
  /// @param graph a copy of the model's. @param model and graph must outlive this.
  ModelSymbols(const Model& model, Graph& graph);

  Graph& graph;
  Replacement values;  ///< of the parameters that are numbers
  ParameterMap tables;
  std::unordered_map<SymbolId, int> table_numbers;  ///< in the order of the model
  std::unordered_map<SymbolId, Variable> variables;
};

/// (i_1 - 1) + N_1 ((i_2 - 1) + N_2 ...)
Expr flat_index(Graph& graph, const std::vector<Expr>& indices, const std::vector<std::int64_t>& shape);

/// The same for the indices of an entry of an array.
Expr flat_index(Expr entry, const std::vector<std::int64_t>& shape);

/// The nodes of e that satisfy the predicate, not looking below them.
std::vector<Expr> topmost(Expr e, const std::function<bool(Expr)>& is_wanted);

/// An argument of element functions: neither a parameter nor an index of a loop.
bool is_variable(Expr e);

}  // namespace cotangent
