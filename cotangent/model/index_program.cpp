#include "cotangent/model/index_program.hpp"

#include <limits>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/expr/arithmetic.hpp"

namespace cotangent {

IndexProgram::IndexProgram(Expr e, const std::unordered_map<SymbolId, std::size_t>& position,
                           const ParameterMap& parameters)
    : e_(e), has_sums_(depends_on(e, [](Expr node) { return node.op() == Op::sum; })) {
  if (has_sums_) {
    position_ = position;
    parameters_ = parameters;
    return;
  }
  std::unordered_map<NodeId, std::size_t> place;
  for (const Expr node : reachable(std::array{e})) {
    Instruction instruction{.kind = Instruction::Kind::apply, .op = node.op()};
    instruction.arity = static_cast<std::size_t>(node.arity());
    for (std::size_t k = 0; k < instruction.arity; ++k)
      instruction.args[k] = place.at(node.arg(static_cast<int>(k)).id());
    if (node.op() == Op::constant) {
      instruction.kind = Instruction::Kind::constant;
      instruction.constant = static_cast<double>(node.value());
    } else if (node.op() == Op::symbol) {
      const auto loop = position.find(node.symbol_id());
      instruction.kind = loop == position.end() ? Instruction::Kind::constant : Instruction::Kind::index;
      if (loop == position.end()) {
        instruction.constant = static_cast<double>(parameters.at(node.symbol_id())->value);
      } else {
        instruction.index = loop->second;
      }
    } else if (node.op() == Op::entry) {
      instruction.kind = Instruction::Kind::entry;
      instruction.table = parameters.at(node.symbol_id());
    }
    place.emplace(node.id(), code_.size());
    code_.push_back(instruction);
  }
  value_.resize(code_.size());
}

double IndexProgram::evaluated(std::span<const double> point) const {
  return evaluate<double>(e_, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
    if (const auto it = position_.find(symbol); it != position_.end()) return point[it->second];
    const Parameter& parameter = *parameters_.at(symbol);
    return static_cast<double>(indices.empty() ? parameter.value : table_entry(parameter, indices));
  });
}

double IndexProgram::operator()(std::span<const double> point) {
  if (has_sums_) return evaluated(point);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const auto& instruction = code_[k];
    const auto arg = [&](std::size_t a) { return a < instruction.arity ? value_[instruction.args[a]] : 0.0; };
    switch (instruction.kind) {
      case Instruction::Kind::constant:
        value_[k] = instruction.constant;
        break;
      case Instruction::Kind::index:
        value_[k] = point[instruction.index];
        break;
      case Instruction::Kind::entry:
        value_[k] = entry(instruction);
        break;
      case Instruction::Kind::apply:
        value_[k] = apply_scalar<double>(instruction.op, arg(0), arg(1), arg(2));
        break;
    }
  }
  return value_.back();
}

double IndexProgram::entry(const Instruction& instruction) const {
  const auto& shape = instruction.table->shape;
  std::int64_t at = 0, stride = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const double index = value_[instruction.args[k]];
    if (!(index >= 1 && index <= static_cast<double>(shape[k]))) return std::numeric_limits<double>::quiet_NaN();
    at += stride * (static_cast<std::int64_t>(index) - 1);
    stride *= shape[k];
  }
  return static_cast<double>(instruction.table->table[static_cast<std::size_t>(at)]);
}

}  // namespace cotangent
