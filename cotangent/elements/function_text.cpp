#include "cotangent/elements/function_text.hpp"

#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/elements/model_point.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/shape.hpp"

namespace cotangent {
namespace {

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
      return std::cmp_equal(*place_of(indices, shape), entry);
    });
    if (found) return result;
  }
  return {};
}

}  // namespace cotangent
