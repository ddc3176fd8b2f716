#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cotangent {

/// The kinds of node of an expression graph.
enum class Op : std::uint8_t {
  // Leaves.
  constant,
  symbol,
  // x[i, ...]: an entry of an array; the arguments are index expressions.
  entry,
  // sum(i in lo..hi, body): arguments lo, hi, body; the index is the node's symbol.
  sum,
  // Arithmetic. There is no subtraction and no negation: a - b is a + (-1) b, so that like terms meet.
  add,
  mul,
  div,
  pow,
  // Functions of one variable.
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  erf,
  erfc,
  sqrt,
  abs,
  sign,
  // Whole numbers; their derivatives are 0, also where they jump.
  floor,
  ceil,
  round,  // half away from zero
  // Functions of two variables.
  atan2,
  min,
  max,
  mod,  // a - b floor(a/b): of the sign of b
  // b - ((a + b) - a) in floating point: what a + b loses of b [kahan65]. Zero in exact arithmetic, and no function of
  // the language: compensated sums are built with it.
  sum_error,
  // x itself, as it is after rounding: neither simplification nor a fused multiply-add reaches from what is done with
  // it
  // into x. No function of the language: what is computed beside a kernel is kept from changing its digits with it.
  rounded,
  // Comparisons: 1 where true, else 0.
  lt,
  le,
  eq,
  ne,
  // select(c, a, b): a where c != 0, else b. Only the chosen branch has to be defined.
  select,
};

/// Number of arguments; -1 for an entry, which has as many as its array has indices.
int arity(Op op);

/// How the language spells it ("sin", "+", "<"); select is "if".
std::string_view spelling(Op op);

/// The function of that name in the language ("atan2", "sqrt", "if"), if there is one.
/// Names that are sugar (gt, ge, norm, ...) are the parser's business.
std::optional<Op> function_named(std::string_view name);

constexpr bool is_unary_function(Op op) { return op >= Op::sin && op <= Op::round; }
constexpr bool is_binary_function(Op op) { return op >= Op::atan2 && op <= Op::mod; }
/// Whether every value is a whole number.
constexpr bool is_whole(Op op) { return op >= Op::sign && op <= Op::round; }
constexpr bool is_comparison(Op op) { return op >= Op::lt && op <= Op::ne; }

}  // namespace cotangent
