#include <quadmath.h>

#include <array>
#include <string>
#include <utility>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// Binding strengths, weakest first.
enum Precedence { kComparison, kSum, kProduct, kUnary, kPower, kAtom };

struct Printed {
  std::string text;
  Precedence precedence;
};

std::string wrap(const Printed& e, Precedence needed) { return e.precedence < needed ? "(" + e.text + ")" : e.text; }

// 2/3 rather than 34 digits.
Printed constant(Quad value) {
  constexpr std::size_t kLong = 20;
  const std::string decimal = to_string(value);
  if (decimal.size() > kLong)
    if (const auto f = small_fraction(value))
      return {std::to_string(f->numerator) + "/" + std::to_string(f->denominator), kProduct};
  return {decimal, value < 0 ? kUnary : kAtom};
}

class Printer {
 public:
  explicit Printer(bool keeps_groups)
      : operand_of_sum_(keeps_groups ? kProduct : kSum), operand_of_product_(keeps_groups ? kUnary : kProduct) {}

  Printed print(Expr e) const;

 private:
  std::string list(Expr e) const;
  Printed add(Expr a, Expr b) const;
  Printed mul(Expr a, Expr b) const;

  // What the second operand must be so that it needs no parentheses.
  Precedence operand_of_sum_, operand_of_product_;
};

std::string Printer::list(Expr e) const {
  std::string text;
  for (int k = 0; k < e.arity(); ++k) text += (k > 0 ? ", " : "") + print(e.arg(k)).text;
  return text;
}

Printed Printer::add(Expr a, Expr b) const {
  const std::string left = wrap(print(a), kSum);
  // a + (-c) x reads better as a - c x.
  const bool negative_term = b.op() == Op::mul && b.arg(0).is_constant() && b.arg(0).value() < 0;
  if (negative_term) return {left + " - " + wrap(print(-b), kProduct), kSum};
  if (b.is_constant() && b.value() < 0) return {left + " - " + constant(-b.value()).text, kSum};
  const Printed right = print(b);
  if (operand_of_sum_ == kSum && right.text.starts_with('-')) return {left + " - " + right.text.substr(1), kSum};
  return {left + " + " + wrap(right, operand_of_sum_), kSum};
}

Printed Printer::mul(Expr a, Expr b) const {
  if (a.is_constant(-1)) return {"-" + wrap(print(b), operand_of_product_), kUnary};
  if (a.is_constant() && a.value() < 0)
    return {"-" + wrap(constant(-a.value()), kProduct) + "*" + wrap(print(b), operand_of_product_), kProduct};
  return {wrap(print(a), kProduct) + "*" + wrap(print(b), operand_of_product_), kProduct};
}

Printed Printer::print(Expr e) const {
  switch (e.op()) {
    case Op::constant:
      return constant(e.value());
    case Op::symbol:
      return {e.symbol().name, kAtom};
    case Op::entry:
      return {e.symbol().name + "[" + list(e) + "]", kAtom};
    case Op::sum:
      return {"sum(" + e.symbol().name + " in " + wrap(print(e.arg(0)), kSum) + ".." + wrap(print(e.arg(1)), kSum) +
                  ", " + print(e.arg(2)).text + ")",
              kAtom};
    case Op::add:
      return add(e.arg(0), e.arg(1));
    case Op::mul:
      return mul(e.arg(0), e.arg(1));
    case Op::div:
      return {wrap(print(e.arg(0)), kProduct) + "/" + wrap(print(e.arg(1)), kUnary), kProduct};
    case Op::pow:
      return {wrap(print(e.arg(0)), kAtom) + "^" + wrap(print(e.arg(1)), kPower), kPower};
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
      return {wrap(print(e.arg(0)), kSum) + " " + std::string(spelling(e.op())) + " " + wrap(print(e.arg(1)), kSum),
              kComparison};
    default:
      return {std::string(spelling(e.op())) + "(" + list(e) + ")", kAtom};
  }
}

}  // namespace

std::string to_string(Quad value) {
  std::array<char, 64> text{};
  // 100 rather than 1e+02.
  constexpr Quad kPlain = 1e6Q;
  if (floorq(value) == value && fabsq(value) < kPlain) return std::to_string(static_cast<std::int64_t>(value));
  for (int digits = 1; digits <= 36; ++digits) {
    quadmath_snprintf(text.data(), text.size(), "%.*Qg", digits, value);
    if (strtoflt128(text.data(), nullptr) == value) break;
  }
  return text.data();
}

std::optional<SmallFraction> small_fraction(Quad value, Quad within) {
  constexpr Quad kLargest = 1e9;
  // Convergents n/d of the continued fraction of the value.
  Quad rest = value, n = 1, n_before = 0, d = 0, d_before = 1;
  while (finiteq(rest) != 0) {
    const Quad whole = floorq(rest);
    n_before = std::exchange(n, whole * n + n_before);
    d_before = std::exchange(d, whole * d + d_before);
    if (fabsq(n) > kLargest || d > kLargest) break;
    if (fabsq(n / d - value) <= within * fabsq(value))
      return SmallFraction{static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

std::string to_string(Expr e) { return Printer(true).print(e).text; }

std::string to_text(Expr e) { return Printer(false).print(e).text; }

}  // namespace cotangent
