#include "cotangent/model/resolve.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/suggest.hpp"

namespace cotangent {
namespace {

constexpr std::array kElementIndices{"i", "j", "k", "l"};
static_assert(kElementIndices.size() == Graph::kMaxArity);

// Terms of a sum that is added up while the model is read.
constexpr double kMaxTerms = 1e6;

// Beyond this, neighbouring integers are not told apart in double precision.
constexpr double kMaxInteger = 9007199254740992.0;

std::string plural(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun == "index" ? fmt::format("{} indices", count) : fmt::format("{} {}s", count, noun);
}

[[noreturn]] void report(const IndexFault& fault, std::int64_t size, std::string_view array, const Location& where) {
  const std::string at = fault.instance.empty() ? "" : fmt::format(" (at {})", fault.instance);
  switch (fault.kind) {
    case IndexFault::Kind::outside:
      throw ModelError(where, fmt::format("index {:.15g} of '{}' is outside 1..{}{}", fault.value, array, size, at));
    case IndexFault::Kind::not_integer:
      throw ModelError(where, fmt::format("index {:.6g} of '{}' is not an integer{}", fault.value, array, at));
    case IndexFault::Kind::not_checked:
      throw ModelError(
          where, fmt::format("this index of '{}' has too many instances to check that it stays in 1..{}", array, size),
          "write it as a linear expression in the loop indices");
  }
  check_failed("the kind of the fault is known");
}

class Resolver {
 public:
  Resolver(Scope& scope, const Syntax& syntax, const Purpose& purpose)
      : scope_(scope), graph_(scope.graph()), syntax_(syntax), purpose_(&purpose) {}

  Expr expression(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxKind::number:
        return graph_.constant(node.value);
      case SyntaxKind::name:
        return name(node);
      case SyntaxKind::entry:
        return entry(node);
      case SyntaxKind::call:
        return call(node);
      case SyntaxKind::sum:
        return sum(node);
      case SyntaxKind::negate:
        return -child(node, 0);
      case SyntaxKind::add:
      case SyntaxKind::subtract:
      case SyntaxKind::multiply:
      case SyntaxKind::divide:
        return chain(node);
      case SyntaxKind::power:
        return apply(Op::pow, node, {child(node, 0), child(node, 1)});
      case SyntaxKind::less:
        return apply(Op::lt, node, {child(node, 0), child(node, 1)});
      case SyntaxKind::less_equal:
        return apply(Op::le, node, {child(node, 0), child(node, 1)});
      case SyntaxKind::equal:
        return apply(Op::eq, node, {child(node, 0), child(node, 1)});
      case SyntaxKind::not_equal:
        return apply(Op::ne, node, {child(node, 0), child(node, 1)});
      // a > b is b < a; both sides are still resolved from left to right.
      case SyntaxKind::greater:
        return flipped(Op::lt, node);
      case SyntaxKind::greater_equal:
        return flipped(Op::le, node);
      case SyntaxKind::vector:
        not_yet(node.span, "vectors are");
      case SyntaxKind::equation:
      case SyntaxKind::loops:
        break;
    }
    check_failed("the node is an expression");
  }

  // Enters the loops one after the other: bounds see the indices before them.
  std::vector<Loop> enter(const std::vector<LoopSyntax>& loops) {
    std::vector<Loop> entered;
    for (const auto& loop : loops) {
      if (loop.over_list()) not_yet(loop.span, "loops over index lists are");
      const Expr lo = bound(loop.lo), hi = bound(loop.hi);
      const std::string name = syntax_.text(loop.names.front());
      const Location where = syntax_.locate(loop.names.front());
      scope_.note_hidden_by(name, where);
      entered.push_back({scope_.enter_loop(name, lo, hi, where), lo, hi});
    }
    return entered;
  }

 private:
  Expr child(const SyntaxNode& node, std::size_t k) { return expression(syntax_.node(node.children[k])); }

  Expr name(const SyntaxNode& node) {
    const std::string name = syntax_.text(node.name);
    if (const ActiveLoop* loop = scope_.find_loop(name)) return graph_.symbol_expr(loop->index);
    const Named& named = lookup(node.name);
    if (named.is_array())
      fail(node.span, fmt::format("'{}' is an array of {}", name, plural(named.shape.size(), "index")),
           fmt::format("an entry is written {}[i{}]", name, named.shape.size() > 1 ? ", ..." : ""));
    if (named.kind == NameKind::parameter && purpose_->parameter_values) return graph_.constant(named.number);
    if (named.kind == NameKind::definition) check_definition(named.value, node);
    return named.value;
  }

  // A definition may contain what its user must not.
  void check_definition(Expr value, const SyntaxNode& use) {
    for (const Expr e : reachable(std::array{value})) {
      if (e.op() != Op::symbol && e.op() != Op::entry) continue;
      const auto kind = e.symbol().kind == SymbolKind::coordinate ? NameKind::coordinate
                        : e.symbol().kind == SymbolKind::momentum ? NameKind::momentum
                        : e.symbol().kind == SymbolKind::velocity ? NameKind::velocity
                        : e.symbol().kind == SymbolKind::time     ? NameKind::time
                                                                  : NameKind::parameter;
      if (!purpose_->allows(kind))
        fail(use.span,
             fmt::format("the definition '{}' contains the {} '{}', which cannot be used in {}", syntax_.text(use.name),
                         describe(kind), e.symbol().name, purpose_->place),
             std::string(purpose_->advice));
    }
  }

  Expr entry(const SyntaxNode& node) {
    const std::string name = syntax_.text(node.name);
    if (scope_.find_loop(name)) fail(node.name, fmt::format("'{}' is the index of a loop, not an array", name));
    const Named& named = lookup(node.name);
    if (!named.is_array()) fail(node.span, fmt::format("the {} '{}' is not an array", describe(named.kind), name));
    if (node.children.size() < named.shape.size() && named.shape.size() - node.children.size() == 1)
      not_yet(node.span, fmt::format("'{}' has {}, {} given here; vectors are", name,
                                     plural(named.shape.size(), "index"), node.children.size()));
    if (node.children.size() != named.shape.size())
      fail(node.span,
           fmt::format("'{}' has {}, not {}", name, plural(named.shape.size(), "index"), node.children.size()));
    std::vector<Expr> indices;
    for (std::size_t k = 0; k < node.children.size(); ++k)
      indices.push_back(index(syntax_.node(node.children[k]), named.shape[k], name));
    return graph_.entry(named.array, indices);
  }

  Expr index(const SyntaxNode& node, std::int64_t size, std::string_view array) {
    Expr index = with_purpose(kForIndex, node);
    const auto where = syntax_.locate(node);
    if (index.is_constant())
      return graph_.constant(
          static_cast<Quad>(to_integer(index.value(), 1, size, fmt::format("index of '{}'", array), where)));
    if (guards_.empty()) {
      check_index(scope_, index, size, array, where);
      return index;
    }
    // Only a branch that is taken has to be in range; the index is kept harmless in the others.
    const auto hi = static_cast<double>(size);
    const auto& parameters = scope_.parameter_numbers();
    if (!find_index_fault(index, 1, hi, scope_.loops(), {}, parameters)) return index;
    if (const auto fault = find_index_fault(index, 1, hi, scope_.loops(), guards_, parameters))
      report(*fault, size, array, where);
    const Expr one = graph_.constant(1), last = graph_.constant(static_cast<Quad>(size));
    return graph_.apply(Op::max, one, graph_.apply(Op::min, index, last));
  }

  // A bound of a loop: an integer in every instance of the loops around it.
  Expr bound(SyntaxId id) {
    const SyntaxNode& node = syntax_.node(id);
    const Expr bound = with_purpose(kForIndex, node);
    const auto where = syntax_.locate(node);
    if (bound.is_constant()) {
      const auto max = static_cast<std::int64_t>(kMaxInteger);
      return graph_.constant(static_cast<Quad>(to_integer(bound.value(), -max, max, "bound of the loop", where)));
    }
    const auto fault =
        find_index_fault(bound, -kMaxInteger, kMaxInteger, scope_.loops(), {}, scope_.parameter_numbers());
    if (fault && fault->kind == IndexFault::Kind::not_checked)
      throw ModelError(where, "this bound of the loop has too many instances to check that it is an integer");
    if (fault)
      throw ModelError(
          where, fmt::format("the bound of the loop is {:.6g}, not an integer (at {})", fault->value, fault->instance));
    return bound;
  }

  Expr with_purpose(const Purpose& purpose, const SyntaxNode& node) {
    const Purpose* outside = std::exchange(purpose_, &purpose);
    const Expr result = expression(node);
    purpose_ = outside;
    return result;
  }

  Expr call(const SyntaxNode& node) {
    const std::string name = syntax_.text(node.name);
    const std::size_t count = node.children.size();
    if (name == "dot" || name == "cross" || name == "norm" || name == "norm2") not_yet(node.span, "vectors are");
    const auto op = function_named(name);
    if (!op) unknown_function(node, name);

    const bool open_ended = *op == Op::min || *op == Op::max;
    const auto expected = static_cast<std::size_t>(arity(*op));
    if (count < expected || (count > expected && !open_ended))
      fail(node.span, fmt::format("{} takes {}{}, not {}", name, open_ended ? "at least " : "",
                                  plural(expected, "argument"), count));
    if (*op == Op::select) return conditional(node);
    Expr result = child(node, 0);
    if (expected == 1) return apply(*op, node, {result});
    for (std::size_t k = 1; k < count; ++k) result = apply(*op, node, {result, child(node, k)});
    return result;
  }

  [[noreturn]] void unknown_function(const SyntaxNode& node, const std::string& name) {
    if (const Named* named = scope_.find(name))
      fail(node.name, fmt::format("the {} '{}' is not a function", describe(named->kind), name),
           named->is_array() ? fmt::format("an entry is written {}[i]", name)
                             : fmt::format("to multiply, write '{}*(...)'", name));
    if (scope_.find_loop(name)) fail(node.name, fmt::format("the index '{}' is not a function", name));
    fail(node.name, fmt::format("unknown function '{}'", name), did_you_mean(name, function_names()));
  }

  Expr conditional(const SyntaxNode& node) {
    const Expr condition = child(node, 0);
    // Only the chosen branch has to be defined.
    if (condition.is_constant()) return child(node, condition.value() != 0 ? 1 : 2);
    guards_.push_back({condition, true});
    const Expr a = child(node, 1);
    guards_.back().holds = false;
    const Expr b = child(node, 2);
    guards_.pop_back();
    return graph_.apply(Op::select, condition, a, b);
  }

  Expr sum(const SyntaxNode& node) {
    const double terms_outside = terms_;
    const auto loops = enter(node.loops);
    count_terms(loops, node);
    Expr result = child(node, 0);
    terms_ = terms_outside;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      scope_.leave_loop();
      result = graph_.sum(loop->index, loop->lo, loop->hi, result);
    }
    return result;
  }

  // What is added up while the model is read must end in reasonable time. A loop whose bounds depend on the
  // loops around it counts as long as the last one that does not.
  void count_terms(const std::vector<Loop>& loops, const SyntaxNode& node) {
    for (const auto& loop : loops) {
      if (loop.lo.is_constant() && loop.hi.is_constant())
        length_ = static_cast<double>(loop.hi.value() - loop.lo.value()) + 1;
      terms_ *= std::max(length_, 0.0);
    }
    if (purpose_->evaluated && terms_ > kMaxTerms)
      fail(node.span,
           fmt::format("a sum of {:.3g} terms in {}; the limit is {:.0f}", terms_, purpose_->place, kMaxTerms));
  }

  // a + b - c * ...: the left spine without recursion, since it may be as long as the text.
  Expr chain(const SyntaxNode& node) {
    std::vector<const SyntaxNode*> spine{&node};
    const auto is_link = [](SyntaxKind kind) { return kind >= SyntaxKind::add && kind <= SyntaxKind::divide; };
    while (is_link(syntax_.node(spine.back()->children[0]).kind))
      spine.push_back(&syntax_.node(spine.back()->children[0]));

    Expr result = child(*spine.back(), 0);
    for (auto link = spine.rbegin(); link != spine.rend(); ++link) {
      const Expr right = child(**link, 1);
      switch ((*link)->kind) {
        case SyntaxKind::add:
          result = apply(Op::add, **link, {result, right});
          break;
        case SyntaxKind::subtract:
          result = apply(Op::add, **link, {result, -right});
          break;
        case SyntaxKind::multiply:
          result = apply(Op::mul, **link, {result, right});
          break;
        default:
          if (right.is_constant(0)) fail((*link)->span, "division by zero");
          result = apply(Op::div, **link, {result, right});
          break;
      }
    }
    return result;
  }

  Expr flipped(Op op, const SyntaxNode& node) {
    const Expr left = child(node, 0), right = child(node, 1);
    return apply(op, node, {right, left});
  }

  Expr apply(Op op, const SyntaxNode& node, std::initializer_list<Expr> args) {
    const Expr result = graph_.apply(op, std::span(args.begin(), args.size()));
    // The graph folds constants except where the result is not a number.
    bool constants = true;
    for (const Expr arg : args) constants = constants && arg.is_constant();
    if (constants && !result.is_constant())
      fail(node.span, fmt::format("'{}' is not a finite number", syntax_.text(node.span)));
    return result;
  }

  const Named& lookup(Span span) {
    const std::string name = syntax_.text(span);
    const Named* named = scope_.find(name);
    const Named* constraint = name.starts_with("lambda_") ? scope_.find(name.substr(7)) : nullptr;
    if (!named && constraint && constraint->kind == NameKind::constraint)
      not_yet(span, "multipliers in expressions are");
    if (!named && is_word_of_language(name))
      fail(span, fmt::format("'{}' is a function", name), fmt::format("write {}(...)", name));
    if (!named) fail(span, fmt::format("unknown name '{}'", name), did_you_mean(name, scope_.usable_names(*purpose_)));
    if (!purpose_->allows(named->kind))
      fail(span, fmt::format("the {} '{}' cannot be used in {}", describe(named->kind), name, purpose_->place),
           std::string(purpose_->advice));
    return *named;
  }

  [[noreturn]] void not_yet(Span span, std::string_view what) const {
    fail(span, fmt::format("{} not supported by this version yet", what));
  }

  [[noreturn]] void fail(Span span, std::string message, std::string suggestion = {}) const {
    throw ModelError(syntax_.locate(span), std::move(message), std::move(suggestion));
  }

  Scope& scope_;
  Graph& graph_;
  const Syntax& syntax_;
  const Purpose* purpose_;
  std::vector<Guard> guards_;
  double terms_ = 1;   // of the sums around, together
  double length_ = 1;  // of the last loop with constant bounds
};

}  // namespace

Expr resolve_expression(Scope& scope, const Syntax& expression, const Purpose& purpose) {
  return Resolver(scope, expression, purpose).expression(expression.root());
}

Expr resolve_equation(Scope& scope, const Syntax& equation, const Purpose& purpose) {
  const auto& root = equation.root();
  COTANGENT_CHECK(root.kind == SyntaxKind::equation);
  Resolver resolver(scope, equation, purpose);
  const Expr left = resolver.expression(equation.node(root.children[0]));
  const Expr right = resolver.expression(equation.node(root.children[1]));
  return left - right;
}

Quad resolve_number(Scope& scope, const Syntax& syntax, const SyntaxNode& node, const Purpose& purpose) {
  COTANGENT_CHECK(purpose.parameter_values);
  const Expr e = Resolver(scope, syntax, purpose).expression(node);
  const Quad value = evaluate<Quad>(e, [](SymbolId, std::span<const std::int64_t>) -> Quad {
    check_failed("an expression of constants has no symbols");
  });
  if (!isfinite(value)) throw ModelError(syntax.locate(node), "the value is not a finite number");
  return value;
}

FamilyLoops::FamilyLoops(Scope& scope, const Syntax& loops) : scope_(scope) {
  COTANGENT_CHECK(loops.root().kind == SyntaxKind::loops);
  loops_ = Resolver(scope, loops, kForIndex).enter(loops.root().loops);
}

FamilyLoops::FamilyLoops(Scope& scope, const std::vector<std::int64_t>& shape, const Syntax* element) : scope_(scope) {
  COTANGENT_CHECK(shape.size() <= kElementIndices.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::string name = kElementIndices[k];
    const Expr lo = scope.graph().constant(1), hi = scope.graph().constant(static_cast<Quad>(shape[k]));
    // Nobody wrote this loop: what it hides matters only where the name is used.
    if (element)
      for (const auto& node : element->nodes())
        if (node.kind == SyntaxKind::name && element->text(node.name) == name)
          scope.note_hidden_by(name, element->locate(node));
    loops_.push_back({scope.enter_loop(name, lo, hi, {}), lo, hi});
  }
}

FamilyLoops::~FamilyLoops() {
  for (std::size_t k = 0; k < loops_.size(); ++k) scope_.leave_loop();
}

std::vector<Expr> FamilyLoops::indices() const {
  std::vector<Expr> result;
  for (const auto& loop : loops_) result.push_back(scope_.graph().symbol_expr(loop.index));
  return result;
}

void check_index(const Scope& scope, Expr index, std::int64_t size, std::string_view array, const Location& where) {
  const auto fault =
      find_index_fault(index, 1, static_cast<double>(size), scope.loops(), {}, scope.parameter_numbers());
  if (fault) report(*fault, size, array, where);
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

}  // namespace cotangent
