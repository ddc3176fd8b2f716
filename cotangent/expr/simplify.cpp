#include <quadmath.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/arithmetic.hpp"
#include "cotangent/expr/expr.hpp"

namespace cotangent {
namespace {

// e = coefficient * base, with coefficient 1 where there is none.
std::pair<Quad, Expr> split_coefficient(Expr e) {
  if (e.op() == Op::mul && e.arg(0).is_constant()) return {e.arg(0).value(), e.arg(1)};
  return {1, e};
}

// e = rest + constant, with constant 0 where there is none.
std::pair<Expr, Quad> split_constant(Expr e) {
  if (e.op() == Op::add && e.arg(1).is_constant()) return {e.arg(0), e.arg(1).value()};
  return {e, 0};
}

// e = base^n for an integer n, with n = 1 where there is no power.
std::pair<Expr, Quad> split_power(Expr e) {
  if (e.op() == Op::pow && e.arg(1).is_constant() && floorq(e.arg(1).value()) == e.arg(1).value())
    return {e.arg(0), e.arg(1).value()};
  return {e, 1};
}

bool is_even_power(Expr e) {
  const Quad n = split_power(e).second;
  return n / 2 == floorq(n / 2);
}

bool is_power_of_two(Quad x) {
  int exponent = 0;
  return fabsq(frexpq(x, &exponent)) == 0.5;
}

}  // namespace

/// The rules by which a graph simplifies an operation while building it; see Expr for what they may do.
///
/// Normal form: constants stand first in a product and last in a sum; a product has at most one constant, pulled
/// out of its factors and of numerators; equal sums and products of two have their arguments in order of id.
struct Simplifier {
  Graph& graph;

  Expr make(Op op, Expr a, Expr b) { return graph.make(op, std::array{a, b}); }

  Expr apply(Op op, std::span<const Expr> args) {
    // Constants are folded where the result is a number; 1/0 stays as it is, to be reported when it is evaluated.
    if (op != Op::sum_error && std::all_of(args.begin(), args.end(), [](Expr e) { return e.is_constant(); })) {
      std::array<Quad, 3> x{};
      for (std::size_t k = 0; k < args.size(); ++k) x[k] = args[k].value();
      const Quad value = apply_scalar<Quad>(op, x[0], x[1], x[2]);
      if (finiteq(value)) return graph.constant(value);
      return graph.make(op, args);
    }
    switch (op) {
      case Op::add:
        return add(args[0], args[1]);
      case Op::mul:
        return mul(args[0], args[1]);
      case Op::div:
        return div(args[0], args[1]);
      case Op::pow:
        return pow(args[0], args[1]);
      case Op::select:
        return select(args[0], args[1], args[2]);
      case Op::min:
      case Op::max:
        if (args[0] == args[1]) return args[0];
        break;
      case Op::abs:
        if (args[0].op() == Op::abs || args[0].op() == Op::sqrt || is_even_power(args[0])) return args[0];
        break;
      case Op::floor:
      case Op::ceil:
      case Op::round:
        if (is_whole(args[0].op())) return args[0];
        break;
      default:
        break;
    }
    return graph.make(op, args);
  }

  Expr add(Expr a, Expr b) {
    if (a.is_constant()) std::swap(a, b);
    if (b.is_constant(0)) return a;

    // (x + c) + d = x + (c + d), and constants travel outwards.
    const auto [x, c] = split_constant(a);
    const auto [y, d] = split_constant(b);
    if (b.is_constant() && c != 0) return graph.apply(Op::add, x, graph.constant(c + b.value()));
    if (!b.is_constant() && (c != 0 || d != 0))
      return graph.apply(Op::add, graph.apply(Op::add, x, y), graph.constant(c + d));
    if (b.is_constant()) return make(Op::add, a, b);

    // c x + d x = (c + d) x.
    const auto [ca, base_a] = split_coefficient(a);
    const auto [cb, base_b] = split_coefficient(b);
    if (base_a == base_b) return graph.apply(Op::mul, graph.constant(ca + cb), base_a);

    if (b.id() < a.id()) std::swap(a, b);
    return make(Op::add, a, b);
  }

  Expr mul(Expr a, Expr b) {
    if (b.is_constant()) std::swap(a, b);
    if (a.is_constant(0)) return a;
    if (a.is_constant(1)) return b;

    // (c x)(d y) = (c d)(x y).
    const auto [ca, x] = a.is_constant() ? std::pair{a.value(), Expr()} : split_coefficient(a);
    const auto [cb, y] = split_coefficient(b);
    if (a.is_constant()) {
      const Quad c = ca * cb;
      return c == 1 ? y : c == 0 ? graph.constant(0) : make(Op::mul, graph.constant(c), y);
    }
    if (ca != 1 || cb != 1) return graph.apply(Op::mul, graph.constant(ca * cb), graph.apply(Op::mul, x, y));

    // x^m x^n = x^(m+n), where neither side has a pole that the other hides.
    const auto [base_a, m] = split_power(a);
    const auto [base_b, n] = split_power(b);
    if (base_a == base_b && m * n > 0) return graph.apply(Op::pow, base_a, graph.constant(m + n));

    if (b.id() < a.id()) std::swap(a, b);
    return make(Op::mul, a, b);
  }

  Expr div(Expr a, Expr b) {
    if (a.is_constant(0)) return a;
    if (b.is_constant(1)) return a;
    if (b.is_constant() && b.value() != 0) {
      const auto [c, x] = split_coefficient(a);
      if (c != 1 || is_power_of_two(b.value())) return graph.apply(Op::mul, graph.constant(c / b.value()), x);
      return make(Op::div, a, b);
    }
    // (c x)/(d y) = (c/d)(x/y).
    const auto [ca, x] = a.is_constant() ? std::pair{a.value(), graph.constant(1)} : split_coefficient(a);
    const auto [cb, y] = split_coefficient(b);
    if (cb != 1 || (ca != 1 && !a.is_constant()))
      return graph.apply(Op::mul, graph.constant(ca / cb), make(Op::div, x, y));
    return make(Op::div, a, b);
  }

  Expr pow(Expr a, Expr b) {
    if (b.is_constant(0)) return graph.constant(1);
    if (b.is_constant(1)) return a;
    if (a.is_constant(1)) return a;
    // (x^m)^n = x^(m n) for integers.
    if (b.is_constant() && floorq(b.value()) == b.value()) {
      const auto [base, m] = split_power(a);
      if (m != 1) return graph.apply(Op::pow, base, graph.constant(m * b.value()));
    }
    return make(Op::pow, a, b);
  }

  Expr select(Expr condition, Expr a, Expr b) {
    if (condition.is_constant()) return condition.value() != 0 ? a : b;
    if (a == b) return a;
    return graph.make(Op::select, std::array{condition, a, b});
  }
};

Expr Graph::apply(Op op, std::span<const Expr> args) {
  COTANGENT_CHECK(std::cmp_equal(args.size(), cotangent::arity(op)) && op > Op::sum);
  return Simplifier{*this}.apply(op, args);
}

}  // namespace cotangent
