#include "cotangent/model/resolver.hpp"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {

std::string plural(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun == "index" ? fmt::format("{} indices", count) : fmt::format("{} {}s", count, noun);
}

Resolver::Resolver(Scope& scope, const Syntax& syntax, const Purpose& purpose)
    : Resolver(scope, syntax, Context{.purpose = &purpose}) {}

Resolver::Resolver(Scope& scope, const Syntax& syntax, Context context)
    : scope_(scope), graph_(scope.graph()), syntax_(syntax), context_(std::move(context)) {}

Value Resolver::value(const SyntaxNode& node) {
  if (++context_.depth > kLimits.nesting_in_definitions)
    fail(node.span, fmt::format("nested too deeply, with the definitions used; the limit is {} levels",
                                kLimits.nesting_in_definitions));
  Value result = dispatch(node);
  --context_.depth;
  return result;
}

Expr Resolver::number(const SyntaxNode& node) {
  const Value result = value(node);
  if (result.is_vector())
    fail(node.span, fmt::format("'{}' is {} where a number is needed", syntax_.text(node.span), result.describe()),
         "a component is written r[i,1]; norm(r), norm2(r) and dot(r, s) are numbers");
  return result.number();
}

Value Resolver::equation(const SyntaxNode& node) {
  COTANGENT_CHECK(node.kind == SyntaxKind::equation);
  Value left = child(node, 0), right = child(node, 1);
  const auto broadcast = [&](Value& zero, const Value& other) {
    if (other.is_vector() && !zero.is_vector() && zero.number().is_constant(0))
      zero = other.map([&](Expr) { return zero.number(); });
  };
  broadcast(left, right);
  broadcast(right, left);
  if (!alike(left, right))
    fail(node.span, fmt::format("the left side is {}, the right side {}", left.describe(), right.describe()),
         left.is_vector() && right.is_vector() ? ""
                                               : "a vector may be set equal to a vector such as [0, 0, 1], or to 0");
  return Value::combine(left, right, [](Expr a, Expr b) { return a - b; });
}

Value Resolver::dispatch(const SyntaxNode& node) {
  switch (node.kind) {
    case SyntaxKind::number:
      return graph_.constant(node.value);
    case SyntaxKind::name:
      return name(node);
    case SyntaxKind::entry:
      return entry(node);
    case SyntaxKind::call:
      return call(node);
    case SyntaxKind::vector:
      return vector_literal(node);
    case SyntaxKind::sum:
      return sum(node);
    case SyntaxKind::negate:
      return child(node, 0).map([](Expr e) { return -e; });
    case SyntaxKind::add:
    case SyntaxKind::subtract:
    case SyntaxKind::multiply:
    case SyntaxKind::divide:
      return chain(node);
    case SyntaxKind::power: {
      const Value base = child(node, 0);
      if (base.is_vector())
        fail(node.span, fmt::format("{} has no power", base.describe()), "the square of its length is norm2(...)");
      return apply(Op::pow, node, {base.number(), child_number(node, 1)});
    }
    case SyntaxKind::less:
    case SyntaxKind::less_equal:
    case SyntaxKind::greater:
    case SyntaxKind::greater_equal:
    case SyntaxKind::equal:
    case SyntaxKind::not_equal:
      return comparison(node);
    case SyntaxKind::equation:
    case SyntaxKind::loops:
      break;
  }
  check_failed("the node is an expression");
}

// a > b is b < a; both sides are still resolved from left to right.
Expr Resolver::comparison(const SyntaxNode& node) {
  constexpr std::array ops{Op::lt, Op::le, Op::lt, Op::le, Op::eq, Op::ne};
  const Op op = ops[static_cast<std::size_t>(node.kind) - static_cast<std::size_t>(SyntaxKind::less)];
  const bool flipped = node.kind == SyntaxKind::greater || node.kind == SyntaxKind::greater_equal;
  const Expr left = child_number(node, 0), right = child_number(node, 1);
  return flipped ? apply(op, node, {right, left}) : apply(op, node, {left, right});
}

Value Resolver::vector_literal(const SyntaxNode& node) {
  std::vector<Expr> components;
  for (std::size_t k = 0; k < node.children.size(); ++k) components.push_back(child_number(node, k));
  return Value(std::move(components));
}

// a + b - c * ...: the left spine without recursion, since it may be as long as the text.
Value Resolver::chain(const SyntaxNode& node) {
  std::vector<const SyntaxNode*> spine{&node};
  const auto is_link = [](SyntaxKind kind) { return kind >= SyntaxKind::add && kind <= SyntaxKind::divide; };
  while (is_link(syntax_.node(spine.back()->children[0]).kind))
    spine.push_back(&syntax_.node(spine.back()->children[0]));

  Value result = child(*spine.back(), 0);
  for (auto link = spine.rbegin(); link != spine.rend(); ++link) {
    const Value right = child(**link, 1);
    result = combine(**link, result, right);
  }
  return result;
}

Value Resolver::combine(const SyntaxNode& link, const Value& left, const Value& right) {
  switch (link.kind) {
    case SyntaxKind::add:
    case SyntaxKind::subtract: {
      const bool add = link.kind == SyntaxKind::add;
      if (!alike(left, right))
        fail(link.span,
             fmt::format("{} and {} cannot be {}", left.describe(), right.describe(), add ? "added" : "subtracted"));
      return Value::combine(left, right, [&](Expr a, Expr b) { return apply(Op::add, link, {a, add ? b : -b}); });
    }
    case SyntaxKind::multiply:
      if (left.is_vector() && right.is_vector())
        fail(link.span, "two vectors cannot be multiplied with '*'", "write dot(a, b) or cross(a, b)");
      if (right.is_vector()) return right.map([&](Expr b) { return apply(Op::mul, link, {left.number(), b}); });
      return left.map([&](Expr a) { return apply(Op::mul, link, {a, right.number()}); });
    default:
      if (right.is_vector()) fail(link.span, fmt::format("nothing can be divided by {}", right.describe()));
      if (right.number().is_constant(0)) fail(link.span, "division by zero");
      return left.map([&](Expr a) { return apply(Op::div, link, {a, right.number()}); });
  }
}

Expr Resolver::apply(Op op, const SyntaxNode& node, std::initializer_list<Expr> args) {
  const Expr result = graph_.apply(op, std::span(args.begin(), args.size()));
  // The graph folds constants except where the result is not a number.
  bool constants = true;
  for (const Expr arg : args) constants = constants && arg.is_constant();
  if (constants && !result.is_constant())
    fail(node.span, fmt::format("'{}' is not a finite number", syntax_.text(node.span)));
  scope_.places().add(result, syntax_.locate(node));
  return result;
}

void Resolver::fail(Span span, std::string message, std::string suggestion) const {
  throw ModelError(syntax_.locate(span), std::move(message), std::move(suggestion));
}

}  // namespace cotangent
