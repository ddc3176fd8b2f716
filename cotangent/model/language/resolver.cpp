#include "cotangent/model/language/resolver.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <array>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {

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

Value Resolver::equation() {
  const SyntaxNode& node = syntax_.root();
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

Quad resolve_number(Scope& scope, const Syntax& syntax, const SyntaxNode& node, const Purpose& purpose) {
  COTANGENT_CHECK(purpose.parameter_values);
  const Quad value = known_value(Resolver(scope, syntax, purpose).number(node), scope.parameters());
  if (!isfinite(value)) throw ModelError(syntax.locate(node), "the value is not a finite number");
  return value;
}

FamilyLoops::FamilyLoops(Scope& scope, const Syntax& text) : scope_(scope) {
  COTANGENT_CHECK(text.root().kind == SyntaxKind::loops);
  const std::size_t outside = scope.loops().size();
  loops = Resolver(scope, text, kFor.index).enter(text.root().loops);
  for (std::size_t l = outside; l < scope.loops().size(); ++l)
    labels.insert(labels.end(), scope.loops()[l].values.begin(), scope.loops()[l].values.end());
}

FamilyLoops::FamilyLoops(Scope& scope, std::span<const std::int64_t> shape, const Syntax* element) : scope_(scope) {
  constexpr std::array<const char*, Graph::kMaxArity> names{"i", "j", "k", "l"};
  COTANGENT_CHECK(shape.size() <= names.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::string name = names[k];
    const Expr lo = scope.graph().constant(1), hi = scope.graph().constant(static_cast<Quad>(shape[k]));
    // Nobody wrote this loop: what it hides matters only where the name is used.
    if (element)
      for (const auto& node : element->nodes())
        if (node.kind == SyntaxKind::name && element->text(node.name) == name)
          scope.note_hidden_by(name, element->locate(node));
    const auto& loop = scope.enter_loop(name, lo, hi, {});
    loops.push_back({loop.index, lo, hi});
    labels.push_back(loop.values[0]);
  }
}

FamilyLoops::~FamilyLoops() {
  for (std::size_t k = 0; k < loops.size(); ++k) scope_.leave_loop();
}

void check_index(const Scope& scope, Expr index, std::int64_t lo, std::int64_t hi, std::string_view array,
                 const Location& where, std::span<const Guard> guards) {
  const auto fault = find_index_fault(index, lo, hi, scope.loops(), guards, scope.parameters());
  if (!fault) return;
  const std::string at = fault->instance.empty() ? "" : fmt::format(" (at {})", fault->instance);
  if (fault->kind == IndexFault::Kind::outside)
    throw ModelError(where, fmt::format("index {:.15g} of '{}' is outside {}..{}{}", fault->value, array, lo, hi, at));
  if (fault->kind == IndexFault::Kind::not_integer)
    throw ModelError(where, fmt::format("index {:.6g} of '{}' is not an integer{}", fault->value, array, at));
  throw ModelError(
      where, fmt::format("this index of '{}' has too many instances to check that it stays in {}..{}", array, lo, hi),
      "write it as a linear expression in the loop indices");
}

std::int64_t to_integer(Quad value, std::int64_t lo, std::int64_t hi, std::string_view what, const Location& where) {
  // Rounding may have left a trace in an expression that is an integer on paper.
  const Quad nearest = rintq(value);
  if (!(fabsq(value - nearest) <= 1e-28Q * fmaxq(1, fabsq(value))))
    throw ModelError(where, fmt::format("the {} is {:.6g}, not an integer", what, static_cast<double>(value)));
  if (nearest < static_cast<Quad>(lo) || nearest > static_cast<Quad>(hi))
    throw ModelError(where,
                     fmt::format("the {} is {:.15g}, outside {}..{}", what, static_cast<double>(nearest), lo, hi));
  return static_cast<std::int64_t>(nearest);
}

std::int64_t resolve_integer(Scope& scope, const Syntax& syntax, const SyntaxNode& node, std::int64_t lo,
                             std::int64_t hi, std::string_view what) {
  return to_integer(resolve_number(scope, syntax, node, kFor.index), lo, hi, what, syntax.locate(node));
}

}  // namespace cotangent
