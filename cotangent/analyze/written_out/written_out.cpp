#include "cotangent/analyze/written_out/written_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/shape.hpp"

namespace cotangent {

WrittenOut::WrittenOut(const Model& model) : model_(branch(model)) {
  for (const auto& parameter : model_.parameters)
    if (parameter.shape.empty()) scalar(parameter.symbol, {});
  for (const auto& c : model_.coordinates)
    for (std::int64_t k = 0; k < c.size(); ++k) {
      const auto indices = indices_at(k, c.shape);
      coordinates_.push_back({.name = entry_text(c.name, indices),
                              .q = scalar(c.q, indices),
                              .p = scalar(c.p, indices),
                              .v = scalar(c.v, indices)});
    }
}

Expr WrittenOut::operator()(Expr e) { return expand(graph().own(e)); }

std::vector<WrittenOut::Named> WrittenOut::all(const NamedValues& values) {
  std::vector<Named> result;
  each_instance(values.loops, 0, [&] {
    std::vector<std::int64_t> labels;
    for (const Expr label : values.labels) labels.push_back(integer(label));
    for (std::size_t c = 0; c < values.components.size(); ++c) {
      auto indices = labels;
      if (values.is_vector) indices.push_back(static_cast<std::int64_t>(c) + 1);
      result.push_back({entry_text(values.name, indices), (*this)(values.components[c])});
    }
  });
  return result;
}

std::vector<Expr> WrittenOut::multipliers(const Constraint& constraint) {
  std::vector<Expr> result;
  const bool is_numbered = graph().symbol(constraint.lambda).rank > 0;
  for (const Named& g : all(constraint)) {
    std::vector<std::int64_t> number;
    if (is_numbered) number.push_back(static_cast<std::int64_t>(result.size()) + 1);
    Expr& lambda = scalars_[{constraint.lambda, number}];
    if (!lambda.valid())
      lambda = is_numbered ? graph().new_symbol("lambda_" + g.name, SymbolKind::multiplier)
                           : graph().symbol_expr(constraint.lambda);
    result.push_back(lambda);
  }
  return result;
}

void WrittenOut::set_index(SymbolId index, std::int64_t value) {
  indices_[index] = value;
  done_.clear();
}

// The scalar that an entry stands for, a number for a table; without indices the symbol itself.
Expr WrittenOut::scalar(SymbolId symbol, const std::vector<std::int64_t>& indices) {
  const auto [at, is_new] = scalars_.try_emplace({symbol, indices});
  if (!is_new) return at->second;
  Graph& g = graph();
  const Symbol declared = g.symbol(symbol);
  Expr& result = at->second;
  if (declared.kind == SymbolKind::parameter) {
    std::vector<Expr> constants;
    for (const std::int64_t index : indices) constants.push_back(g.constant(static_cast<Quad>(index)));
    result = indices.empty() ? g.symbol_expr(symbol) : g.entry(symbol, constants);
    const Quad value = number(result);
    if (value == 0 || !indices.empty()) return result = g.constant(value);
    parameters_.push_back({result, value});
    return result;
  }
  result = indices.empty() ? g.symbol_expr(symbol) : g.new_symbol(entry_text(declared.name, indices), declared.kind);
  return result;
}

// Whether parameters and indices determine it.
bool WrittenOut::is_known(Expr e) const {
  return !depends_on(e, [](Expr x) {
    if (x.op() != Op::symbol && x.op() != Op::entry) return false;
    return x.symbol().kind != SymbolKind::parameter && x.symbol().kind != SymbolKind::index;
  });
}

Quad WrittenOut::number(Expr e) const {
  const LeafValue<Quad> leaf = [&](SymbolId symbol, std::span<const std::int64_t> indices) -> Quad {
    if (const auto index = indices_.find(symbol); index != indices_.end()) return static_cast<Quad>(index->second);
    for (const auto& parameter : model_.parameters)
      if (parameter.symbol == symbol) {
        if (parameter.shape.empty()) return parameter.value;
        if (const auto place = place_of(indices, parameter.shape)) return parameter.table[*place];
      }
    return std::numeric_limits<double>::quiet_NaN();
  };
  return evaluate<Quad>(e, leaf);
}

std::int64_t WrittenOut::integer(Expr e) const { return static_cast<std::int64_t>(number(e)); }

Expr WrittenOut::expand(Expr e) {
  if (const auto at = done_.find(e.id()); at != done_.end()) return at->second;
  const Expr result = expand_operation(e);
  done_.emplace(e.id(), result);
  return result;
}

Expr WrittenOut::expand_operation(Expr e) {
  Graph& g = graph();
  switch (e.op()) {
    case Op::constant:
      return e;
    case Op::symbol:
      if (const auto index = indices_.find(e.symbol_id()); index != indices_.end())
        return g.constant(static_cast<Quad>(index->second));
      return e.symbol().kind == SymbolKind::parameter ? scalar(e.symbol_id(), {}) : e;
    case Op::entry: {
      std::vector<std::int64_t> indices;
      for (int k = 0; k < e.arity(); ++k) indices.push_back(integer(e.arg(k)));
      return scalar(e.symbol_id(), indices);
    }
    case Op::sum: {
      Expr total = g.constant(0);
      const std::int64_t hi = integer(e.arg(1));
      const auto outside = done_;
      for (std::int64_t i = integer(e.arg(0)); i <= hi; ++i) {
        set_index(e.symbol_id(), i);
        total = total + expand(e.arg(2));
      }
      indices_.erase(e.symbol_id());
      done_ = outside;
      return total;
    }
    case Op::select:
      if (is_known(e.arg(0))) return expand(e.arg(number(e.arg(0)) != 0 ? 1 : 2));
      break;
    case Op::pow:
      if (is_known(e.arg(1))) return pow(expand(e.arg(0)), g.constant(number(e.arg(1))));
      break;
    default:
      break;
  }
  std::vector<Expr> args;
  for (int k = 0; k < e.arity(); ++k) args.push_back(expand(e.arg(k)));
  return g.rebuild(e, args);
}

}  // namespace cotangent
