#include "cotangent/elements/model_symbols.hpp"

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

}  // namespace cotangent
