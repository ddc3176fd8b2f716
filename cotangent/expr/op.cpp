#include "cotangent/expr/op.hpp"

#include <array>

namespace cotangent {
namespace {

struct OpInfo {
  Op op;
  int arity;
  std::string_view spelling;
};

constexpr std::array kOps = {
    OpInfo{Op::constant, 0, "constant"},
    OpInfo{Op::symbol, 0, "symbol"},
    OpInfo{Op::entry, -1, "entry"},
    OpInfo{Op::sum, 3, "sum"},
    OpInfo{Op::add, 2, "+"},
    OpInfo{Op::mul, 2, "*"},
    OpInfo{Op::div, 2, "/"},
    OpInfo{Op::pow, 2, "^"},
    OpInfo{Op::sin, 1, "sin"},
    OpInfo{Op::cos, 1, "cos"},
    OpInfo{Op::tan, 1, "tan"},
    OpInfo{Op::asin, 1, "asin"},
    OpInfo{Op::acos, 1, "acos"},
    OpInfo{Op::atan, 1, "atan"},
    OpInfo{Op::sinh, 1, "sinh"},
    OpInfo{Op::cosh, 1, "cosh"},
    OpInfo{Op::tanh, 1, "tanh"},
    OpInfo{Op::exp, 1, "exp"},
    OpInfo{Op::log, 1, "log"},
    OpInfo{Op::sqrt, 1, "sqrt"},
    OpInfo{Op::abs, 1, "abs"},
    OpInfo{Op::sign, 1, "sign"},
    OpInfo{Op::atan2, 2, "atan2"},
    OpInfo{Op::min, 2, "min"},
    OpInfo{Op::max, 2, "max"},
    OpInfo{Op::sum_error, 2, "sum_error"},
    OpInfo{Op::lt, 2, "<"},
    OpInfo{Op::le, 2, "<="},
    OpInfo{Op::eq, 2, "=="},
    OpInfo{Op::ne, 2, "!="},
    OpInfo{Op::select, 3, "if"},
};

constexpr bool in_order() {
  for (std::size_t k = 0; k < kOps.size(); ++k)
    if (static_cast<std::size_t>(kOps[k].op) != k) return false;
  return true;
}
static_assert(in_order(), "kOps is indexed by Op");

}  // namespace

int arity(Op op) { return kOps[static_cast<std::size_t>(op)].arity; }

std::string_view spelling(Op op) { return kOps[static_cast<std::size_t>(op)].spelling; }

std::optional<Op> function_named(std::string_view name) {
  if (name == "pow") return Op::pow;
  for (const auto& info : kOps) {
    const bool is_function = is_unary_function(info.op) || is_binary_function(info.op) || info.op == Op::select;
    if (is_function && info.spelling == name) return info.op;
  }
  return std::nullopt;
}

}  // namespace cotangent
