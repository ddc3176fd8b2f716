#include "cotangent/elements/function_text.hpp"

#include <algorithm>

#include "cotangent/base/check.hpp"
#include "cotangent/elements/model_point.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

using Indices = std::vector<std::pair<SymbolId, std::int64_t>>;

// Visits the instances of loops, the innermost index running fastest, until the visitor says true.
template <class Visitor>
class InstanceWalk {
 public:
  InstanceWalk(const Model& model, const std::vector<Loop>& loops, const Visitor& visit)
      : numbers_(model, {}), loops_(loops), visit_(visit) {}

  bool run() {
    if (indices_.size() == loops_.size()) return visit_(*this);
    const Loop& loop = loops_[indices_.size()];
    const std::int64_t lo = value(loop.lo), hi = value(loop.hi);
    indices_.emplace_back(loop.index, lo);
    for (std::int64_t i = lo; i <= hi; ++i) {
      indices_.back().second = i;
      if (run()) return true;
    }
    indices_.pop_back();
    return false;
  }

  std::int64_t value(Expr e) const {
    if (e.is_constant()) return static_cast<std::int64_t>(e.value());
    return static_cast<std::int64_t>(evaluate<double>(e, numbers_.leaf(indices_)));
  }

  const Indices& indices() const { return indices_; }

 private:
  ModelNumbers numbers_;
  const std::vector<Loop>& loops_;
  const Visitor& visit_;
  Indices indices_;
};

FunctionText row_text(const Model& model, const NamedValues& values, const NamedRows& rows, std::int64_t row) {
  std::int64_t left = (row - rows.first) / rows.components;
  FunctionText result{values.components[static_cast<std::size_t>((row - rows.first) % rows.components)], values.where};
  const auto visit = [&](const auto& walk) {
    if (left-- > 0) return false;
    result.indices = walk.indices();
    return true;
  };
  InstanceWalk(model, values.loops, visit).run();
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
  FunctionText result;
  for (auto each = assignments.rbegin(); each != assignments.rend() && !result.value.valid(); ++each) {
    if (each->target != target) continue;
    const auto visit = [&](const auto& walk) {
      std::int64_t at = 0, stride = 1;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        at += stride * (walk.value(each->indices[d]) - 1);
        stride *= shape[d];
      }
      if (at != entry) return false;
      result = {each->value, each->where, walk.indices()};
      return true;
    };
    InstanceWalk(model, each->loops, visit).run();
  }
  return result;
}

}  // namespace cotangent
