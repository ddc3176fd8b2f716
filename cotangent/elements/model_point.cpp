#include "cotangent/elements/model_point.hpp"

#include <limits>

namespace cotangent {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// (i_1 - 1) + N_1 ((i_2 - 1) + N_2 ...)
std::size_t flat(std::span<const std::int64_t> indices, std::span<const std::int64_t> shape) {
  std::int64_t at = 0, stride = 1;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    at += stride * (indices[d] - 1);
    if (d < shape.size()) stride *= shape[d];
  }
  return static_cast<std::size_t>(at);
}

}  // namespace

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
  for (std::size_t c = 0; c < point_.rows.size(); ++c)
    variables_.emplace(model.constraints[c].lambda, Variable{&point_.lambda, point_.rows[c].first, {}});
}

LeafValue<double> ModelNumbers::leaf(std::vector<std::pair<SymbolId, std::int64_t>> indices) const {
  return [this, indices = std::move(indices)](SymbolId symbol, std::span<const std::int64_t> of) {
    for (const auto& [index, number] : indices)
      if (index == symbol) return static_cast<double>(number);
    return value(symbol, of);
  };
}

double ModelNumbers::value(SymbolId symbol, std::span<const std::int64_t> indices) const {
  if (symbol == time_) return point_.t;
  if (const auto found = parameters_.find(symbol); found != parameters_.end()) {
    const Parameter& parameter = *found->second;
    if (parameter.shape.empty()) return static_cast<double>(parameter.value);
    const std::size_t at = flat(indices, parameter.shape);
    return at < parameter.table.size() ? static_cast<double>(parameter.table[at]) : kNotKnown;
  }
  const auto found = variables_.find(symbol);
  if (found == variables_.end()) return kNotKnown;
  const auto& [values, offset, shape] = found->second;
  const std::size_t at = static_cast<std::size_t>(offset) + flat(indices, shape);
  return at < values->size() ? (*values)[at] : kNotKnown;
}

}  // namespace cotangent
