#include "cotangent/elements/model_point.hpp"

#include <limits>

#include "cotangent/model/shape.hpp"

namespace cotangent {

ModelNumbers::ModelNumbers(const Model& model, ModelPoint point)
    : point_(std::move(point)), time_(model.t.valid() ? model.t.symbol_id() : 0) {
  for (const Parameter& parameter : model.parameters) parameters_.emplace(parameter.symbol, &parameter);
  for (const Coordinate& c : model.coordinates) {
    variables_.emplace(c.q, Variable{&point_.q, c.offset, c.shape});
    variables_.emplace(c.p, Variable{&point_.p, c.offset, c.shape});
    variables_.emplace(c.v, Variable{&point_.v, c.offset, c.shape});
  }
  for (const State& state : model.states)
    variables_.emplace(state.symbol, Variable{&point_.s, state.offset, state.shape});
  for (std::size_t c = 0; c < point_.rows.size(); ++c) {
    const SymbolId lambda = model.constraints[c].lambda;
    const std::vector shape(static_cast<std::size_t>(model.graph->symbol(lambda).rank), point_.rows[c].count);
    variables_.emplace(lambda, Variable{&point_.lambda, point_.rows[c].first, shape});
  }
}

LeafValue<double> ModelNumbers::leaf(std::vector<std::pair<SymbolId, std::int64_t>> indices) const {
  return [this, indices = std::move(indices)](SymbolId symbol, std::span<const std::int64_t> of) {
    for (const auto& [index, number] : indices)
      if (index == symbol) return static_cast<double>(number);
    return value(symbol, of);
  };
}

double ModelNumbers::value(SymbolId symbol, std::span<const std::int64_t> indices) const {
  const auto entry = [&](const auto& values, std::int64_t offset, const std::vector<std::int64_t>& shape) {
    const auto place = place_of(indices, shape);
    const bool is_known = place && static_cast<std::size_t>(offset) + *place < values.size();
    return is_known ? static_cast<double>(values[static_cast<std::size_t>(offset) + *place])
                    : std::numeric_limits<double>::quiet_NaN();
  };
  if (symbol == time_) return point_.t;
  if (const auto found = parameters_.find(symbol); found != parameters_.end()) {
    const Parameter& parameter = *found->second;
    return parameter.shape.empty() ? static_cast<double>(parameter.value) : entry(parameter.table, 0, parameter.shape);
  }
  const auto found = variables_.find(symbol);
  if (found == variables_.end()) return std::numeric_limits<double>::quiet_NaN();
  return entry(*found->second.values, found->second.offset, found->second.shape);
}

}  // namespace cotangent
