#include "cotangent/elements/model_symbols.hpp"

#include <algorithm>
#include <unordered_set>

namespace cotangent {

ModelSymbols::ModelSymbols(const Model& model, Graph& graph_of_elements) : graph(graph_of_elements) {
  for (const Parameter& parameter : model.parameters) {
    if (parameter.shape.empty()) {
      values.emplace(graph.symbol_expr(parameter.symbol).id(), graph.constant(parameter.value));
    } else {
      table_numbers.emplace(parameter.symbol, static_cast<int>(tables.size()));
      tables.emplace(parameter.symbol, &parameter);
    }
  }
  for (const Coordinate& c : model.coordinates) {
    variables.emplace(c.q, Variable{Space::q, c.offset, c.shape});
    variables.emplace(c.p, Variable{Space::p, c.offset, c.shape});
    variables.emplace(c.v, Variable{Space::v, c.offset, c.shape});
  }
  for (const State& state : model.states)
    variables.emplace(state.symbol, Variable{Space::s, state.offset, state.shape});
  variables.emplace(model.t.symbol_id(), Variable{Space::t, 0, {}});
}

Expr flat_index(Graph& graph, const std::vector<Expr>& indices, const std::vector<std::int64_t>& shape) {
  Expr index = graph.constant(0);
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    index = index + (indices[d] - 1) * static_cast<double>(stride);
    stride *= shape[d];
  }
  return index;
}

Expr flat_index(Expr entry, const std::vector<std::int64_t>& shape) {
  std::vector<Expr> indices;
  for (int d = 0; d < entry.arity(); ++d) indices.push_back(entry.arg(d));
  return flat_index(entry.graph(), indices, shape);
}

std::vector<Expr> topmost(Expr e, const std::function<bool(Expr)>& is_wanted) {
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

bool is_variable(Expr e) {
  if (e.op() != Op::symbol && e.op() != Op::entry) return false;
  const SymbolKind kind = e.symbol().kind;
  return kind != SymbolKind::index && kind != SymbolKind::parameter;
}

}  // namespace cotangent
