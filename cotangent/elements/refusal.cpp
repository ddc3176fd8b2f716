#include "cotangent/elements/refusal.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <unordered_map>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/index_function.hpp"
#include "cotangent/model/language/shape.hpp"

namespace cotangent {
namespace {

// What the symbols of a model stand for at a point: for the reference evaluator, which walks over expressions.
class ModelNumbers {
 public:
  // @param model must outlive this.
  ModelNumbers(const Model& model, ModelPoint point)
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

  // The same with values for the indices of loops. This must outlive the result.
  LeafValue<double> leaf(std::vector<std::pair<SymbolId, std::int64_t>> indices) const {
    return [this, indices = std::move(indices)](SymbolId symbol, std::span<const std::int64_t> of) {
      for (const auto& [index, number] : indices)
        if (index == symbol) return static_cast<double>(number);
      return value(symbol, of);
    };
  }

  const ParameterMap& parameters() const { return parameters_; }

 private:
  struct Variable {
    const std::vector<double>* values;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };

  double value(SymbolId symbol, std::span<const std::int64_t> indices) const {
    const auto entry = [&](const auto& values, std::int64_t offset, const std::vector<std::int64_t>& shape) {
      const auto place = place_of(indices, shape);
      const bool is_known = place && static_cast<std::size_t>(offset) + *place < values.size();
      return is_known ? static_cast<double>(values[static_cast<std::size_t>(offset) + *place])
                      : std::numeric_limits<double>::quiet_NaN();
    };
    if (symbol == time_) return point_.t;
    if (const auto found = parameters_.find(symbol); found != parameters_.end()) {
      const Parameter& parameter = *found->second;
      return parameter.shape.empty() ? static_cast<double>(parameter.value)
                                     : entry(parameter.table, 0, parameter.shape);
    }
    const auto found = variables_.find(symbol);
    if (found == variables_.end()) return std::numeric_limits<double>::quiet_NaN();
    return entry(*found->second.values, found->second.offset, found->second.shape);
  }

  ModelPoint point_;
  std::unordered_map<SymbolId, Variable> variables_;
  ParameterMap parameters_;
  SymbolId time_;
};

// Looks through the instances of loops for one that is wanted, and takes its indices.
template <class Wanted>
bool find_instance(const Model& model, const std::vector<Loop>& loops, FunctionText& text, const Wanted& is_wanted) {
  const ModelNumbers numbers(model, {});
  Instances instances(loops, numbers.parameters());
  bool found = false;
  instances.each([&] {
    text.indices.clear();
    for (std::size_t l = 0; l < loops.size(); ++l)
      text.indices.emplace_back(loops[l].index, static_cast<std::int64_t>(instances.point()[l]));
    return found = is_wanted(numbers.leaf(text.indices));
  });
  return found;
}

FunctionText row_text(const Model& model, const NamedValues& values, const NamedRows& rows, std::int64_t row) {
  std::int64_t left = (row - rows.first) / rows.components;
  FunctionText result{values.components[static_cast<std::size_t>((row - rows.first) % rows.components)], values.where};
  find_instance(model, values.loops, result, [&](const auto&) { return left-- == 0; });
  return result;
}

template <class Values>
FunctionText row_text(const Model& model, const std::vector<Values>& values, const std::vector<NamedRows>& rows,
                      std::int64_t row) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (row >= rows[k].first && row < rows[k].first + rows[k].count) return row_text(model, values[k], rows[k], row);
  check_failed("it is a row");
}

// What is wrong with a function, and where in it. A value that is not finite also has no derivative: it is looked for
// first.
struct Cause {
  std::string text;
  Expr operation;
};
std::optional<Cause> find_cause(const Model& model, const FunctionText& function, const ModelPoint& point) {
  if (!function.value.valid()) return std::nullopt;
  const ModelNumbers numbers(model, point);
  for (const auto of : {BreakdownOf::value, BreakdownOf::derivative})
    if (const auto cause = find_breakdown(function.value, numbers.leaf(function.indices), of))
      return Cause{describe(*cause, of), cause->operation};
  return std::nullopt;
}

}  // namespace

FunctionText energy_text(const Model& model) { return {model.energy, model.energy_where}; }

FunctionText dissipation_text(const Model& model) { return {model.dissipation, model.dissipation_where}; }

FunctionText constraint_text(const Model& model, const Elements& elements, std::int64_t row) {
  return row_text(model, model.constraints, elements.rows, row);
}

FunctionText observable_text(const Model& model, const Elements& elements, std::int64_t row) {
  return row_text(model, model.observables, elements.observable_rows, row);
}

FunctionText invariant_text(const Model& model, const Elements& elements, std::int64_t row) {
  return row_text(model, model.invariants, elements.invariant_rows, row);
}

FunctionText assignment_text(const Model& model, std::span<const Assignment> assignments, SymbolId target,
                             const std::vector<std::int64_t>& shape, std::int64_t entry) {
  for (auto each = assignments.rbegin(); each != assignments.rend(); ++each) {
    if (each->target != target) continue;
    FunctionText result{each->value, each->where};
    const bool found = find_instance(model, each->loops, result, [&](const LeafValue<double>& leaf) {
      EntryIndices indices;
      for (const Expr e : each->indices) indices.push_back(static_cast<std::int64_t>(evaluate<double>(e, leaf)));
      const auto place = place_of(indices, shape);
      return place && std::cmp_equal(*place, entry);
    });
    if (found) return result;
  }
  return {};
}

ModelError refusal(const Model& model, const Location& where, const std::string& message,
                   const std::string& suggestion) {
  if (where.source) return {where, message, suggestion};
  return {model.name.empty() ? "model" : model.name, message, suggestion};
}

ModelError refusal(const Model& model, const FunctionText& function, const ModelPoint& point,
                   const std::string& message) {
  const auto cause = find_cause(model, function, point);
  if (!cause) return refusal(model, function.where, message);
  const std::string sentence = fmt::format("{}: {}", message, cause->text);
  const Location* written = model.places.find(cause->operation, function.where);
  if (!written) return refusal(model, function.where, sentence);
  // Written in a definition: the reader also wants to know who uses it.
  const bool is_elsewhere = function.where.source && !contains(function.where, *written);
  return refusal(model, *written, sentence,
                 is_elsewhere ? fmt::format("it is used at {}", to_string(function.where)) : "");
}

std::string energy_name(const Model& model) {
  return model.dynamics == Dynamics::lagrangian ? "the Lagrangian" : "the Hamiltonian";
}

void expect_defined_energy(const Model& model, const ModelPoint& point) {
  if (find_cause(model, energy_text(model), point))
    throw refusal(model, energy_text(model), point, energy_name(model) + " is not defined at the initial data");
}

}  // namespace cotangent
