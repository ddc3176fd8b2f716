#include "cotangent/expr/op.hpp"

#include <array>

namespace cotangent {
namespace {

// In the order of Op.
constexpr std::array<std::string_view, 38> kSpellings{
    "constant", "symbol",    "entry",   "sum",  "+",     "*",    "/",     "^",     "sin", "cos",
    "tan",      "asin",      "acos",    "atan", "sinh",  "cosh", "tanh",  "exp",   "log", "erf",
    "erfc",     "sqrt",      "abs",     "sign", "floor", "ceil", "round", "atan2", "min", "max",
    "mod",      "sum_error", "rounded", "<",    "<=",    "==",   "!=",    "if"};
static_assert(kSpellings.size() == static_cast<std::size_t>(Op::select) + 1);
static_assert(kSpellings[static_cast<std::size_t>(Op::pow)] == "^" &&
              kSpellings[static_cast<std::size_t>(Op::sqrt)] == "sqrt" &&
              kSpellings[static_cast<std::size_t>(Op::round)] == "round" &&
              kSpellings[static_cast<std::size_t>(Op::mod)] == "mod" &&
              kSpellings[static_cast<std::size_t>(Op::ne)] == "!=");

}  // namespace

int arity(Op op) {
  if (op <= Op::symbol) return 0;
  if (op == Op::entry) return -1;
  if (op == Op::sum || op == Op::select) return 3;
  return is_unary_function(op) || op == Op::rounded ? 1 : 2;
}

std::string_view spelling(Op op) { return kSpellings[static_cast<std::size_t>(op)]; }

std::optional<Op> function_named(std::string_view name) {
  if (name == "pow") return Op::pow;
  for (auto op = Op::sin; op <= Op::select; op = static_cast<Op>(static_cast<int>(op) + 1)) {
    const bool is_function = is_unary_function(op) || is_binary_function(op) || op == Op::select;
    if (is_function && spelling(op) == name) return op;
  }
  return std::nullopt;
}

}  // namespace cotangent
