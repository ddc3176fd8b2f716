#include "cotangent/model/language/index_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/expr/arithmetic.hpp"
#include "cotangent/model/language/shape.hpp"

namespace cotangent {

Quad parameter_value(const Parameter& parameter, std::span<const std::int64_t> indices) {
  if (parameter.shape.empty()) return parameter.value;
  const auto place = place_of(indices, parameter.shape);
  COTANGENT_CHECK(place);
  return parameter.table[*place];
}

Quad known_value(Expr e, const ParameterMap& parameters) {
  if (e.is_constant()) return e.value();
  return evaluate<Quad>(e, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
    return parameter_value(*parameters.at(symbol), indices);
  });
}

double IndexFunction::Affine::at(std::span<const double> point) const {
  double value = constant;
  for (std::size_t k = 0; k < coefficient.size(); ++k)
    if (coefficient[k] != 0) value += coefficient[k] * point[k];
  return value;
}

void IndexFunction::Affine::add(double factor, const Affine& other) {
  constant += factor * other.constant;
  for (std::size_t k = 0; k < coefficient.size(); ++k) coefficient[k] += factor * other.coefficient[k];
}

bool IndexFunction::Affine::is_constant() const {
  return std::ranges::all_of(coefficient, [](double c) { return c == 0; });
}

IndexFunction::IndexFunction(Expr e, std::span<const SymbolId> loops, const ParameterMap& parameters)
    : e_(e),
      loops_(loops.begin(), loops.end()),
      parameters_(&parameters),
      has_sums_(depends_on(e, [](Expr node) { return node.op() == Op::sum; })) {
  if (has_sums_) return;
  std::unordered_map<NodeId, std::size_t> place;
  for (const Expr node : reachable(std::array{e})) {
    Instruction next{.op = node.op(), .arity = static_cast<std::size_t>(node.arity())};
    for (std::size_t k = 0; k < next.arity; ++k) next.args[k] = place.at(node.arg(static_cast<int>(k)).id());
    if (node.op() == Op::constant) next.constant = static_cast<double>(node.value());
    if (node.op() == Op::entry) next.table = parameters.at(node.symbol_id());
    if (node.op() == Op::symbol) {
      next.loop = static_cast<std::size_t>(std::ranges::find(loops, node.symbol_id()) - loops.begin());
      if (next.loop == loops.size()) {
        next.op = Op::constant;
        next.constant = static_cast<double>(parameters.at(node.symbol_id())->value);
      }
    }
    place.emplace(node.id(), code_.size());
    code_.push_back(next);
  }
  value_.resize(code_.size());
  affine_ = affine_form();
}

std::optional<IndexFunction::Affine> IndexFunction::affine_form() const {
  std::vector<Affine> known;
  for (const Instruction& next : code_) {
    Affine result{next.constant, std::vector<double>(loops_.size())};
    const auto arg = [&](std::size_t k) -> const Affine& { return known[next.args[k]]; };
    if (next.op == Op::symbol) {
      result.coefficient[next.loop] = 1;
    } else if (next.op == Op::add) {
      result.add(1, arg(0));
      result.add(1, arg(1));
    } else if (next.op == Op::mul && arg(0).is_constant()) {
      result.add(arg(0).constant, arg(1));
    } else if (next.op == Op::mul && arg(1).is_constant()) {
      result.add(arg(1).constant, arg(0));
    } else if (next.op != Op::constant) {
      return std::nullopt;
    }
    known.push_back(std::move(result));
  }
  // Fractions are left to the program, which finds where they are not integers.
  const auto is_integer = [](double x) { return std::nearbyint(x) == x; };
  const Affine& result = known.back();
  if (!is_integer(result.constant) || !std::ranges::all_of(result.coefficient, is_integer)) return std::nullopt;
  return result;
}

double IndexFunction::operator()(std::span<const double> point) {
  if (affine_) return affine_->at(point);
  const double x = has_sums_ ? with_sums(point) : computed(point);
  // 3*(1/3) is meant as an integer.
  const double nearest = std::nearbyint(x);
  return std::abs(x - nearest) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(x) ? nearest : x;
}

double IndexFunction::with_sums(std::span<const double> point) const {
  return evaluate<double>(e_, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
    const auto loop = std::ranges::find(loops_, symbol);
    if (loop != loops_.end()) return point[static_cast<std::size_t>(loop - loops_.begin())];
    return static_cast<double>(parameter_value(*parameters_->at(symbol), indices));
  });
}

double IndexFunction::computed(std::span<const double> point) {
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& next = code_[k];
    const auto arg = [&](std::size_t a) { return a < next.arity ? value_[next.args[a]] : 0.0; };
    value_[k] = next.op == Op::constant ? next.constant
                : next.op == Op::symbol ? point[next.loop]
                : next.op == Op::entry  ? entry(next)
                                        : apply_scalar<double>(next.op, arg(0), arg(1), arg(2));
  }
  return value_.back();
}

double IndexFunction::entry(const Instruction& instruction) const {
  const auto& shape = instruction.table->shape;
  std::array<std::int64_t, Graph::kMaxArity> indices{};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const double index = value_[instruction.args[k]];
    if (!(index >= 1 && index <= static_cast<double>(shape[k]))) return std::numeric_limits<double>::quiet_NaN();
    indices[k] = static_cast<std::int64_t>(index);
  }
  return static_cast<double>(instruction.table->table[*place_of(std::span(indices).first(shape.size()), shape)]);
}

Instances::Instances(std::span<const Loop> loops, const ParameterMap& parameters) {
  std::vector<SymbolId> before;
  for (const auto& [index, lo, hi] : loops) {
    lo_.emplace_back(lo, before, parameters);
    hi_.emplace_back(hi, before, parameters);
    before.push_back(index);
  }
  point_.resize(loops.size());
}

std::pair<std::int64_t, std::int64_t> Instances::bounds(std::size_t loop) {
  return {std::llround(lo_[loop](point_)), std::llround(hi_[loop](point_))};
}

bool Instances::walk(std::size_t depth, const std::function<bool(std::size_t)>& visit, std::size_t level) {
  if (visit(level)) return true;
  if (level == depth) return false;
  const auto [lo, hi] = bounds(level);
  for (std::int64_t i = lo; i <= hi; ++i) {
    point_[level] = static_cast<double>(i);
    if (walk(depth, visit, level + 1)) return true;
  }
  return false;
}

}  // namespace cotangent
