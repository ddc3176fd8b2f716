#include "cotangent/model/resolve.hpp"

#include <fmt/core.h>
#include <quadmath.h>

#include <array>

#include "cotangent/base/check.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/resolver.hpp"

namespace cotangent {
namespace {

constexpr std::array kElementIndices{"i", "j", "k", "l"};
static_assert(kElementIndices.size() == Graph::kMaxArity);

}  // namespace

Value resolve_value(Scope& scope, const Syntax& expression, const Purpose& purpose) {
  return resolve_value(scope, expression, expression.root(), purpose);
}

Value resolve_value(Scope& scope, const Syntax& expression, const SyntaxNode& node, const Purpose& purpose) {
  return Resolver(scope, expression, purpose).value(node);
}

Expr resolve_expression(Scope& scope, const Syntax& expression, const Purpose& purpose) {
  return Resolver(scope, expression, purpose).number(expression.root());
}

Value resolve_equation(Scope& scope, const Syntax& equation, const Purpose& purpose) {
  return Resolver(scope, equation, purpose).equation(equation.root());
}

Quad resolve_number(Scope& scope, const Syntax& syntax, const SyntaxNode& node, const Purpose& purpose) {
  COTANGENT_CHECK(purpose.parameter_values);
  const Quad value = known_value(Resolver(scope, syntax, purpose).number(node), scope.parameters());
  if (!isfinite(value)) throw ModelError(syntax.locate(node), "the value is not a finite number");
  return value;
}

FamilyLoops::FamilyLoops(Scope& scope, const Syntax& loops) : scope_(scope) {
  COTANGENT_CHECK(loops.root().kind == SyntaxKind::loops);
  const std::size_t outside = scope.loops().size();
  loops_ = Resolver(scope, loops, kFor.index).enter(loops.root().loops);
  for (std::size_t l = outside; l < scope.loops().size(); ++l)
    labels_.insert(labels_.end(), scope.loops()[l].values.begin(), scope.loops()[l].values.end());
}

FamilyLoops::FamilyLoops(Scope& scope, std::span<const std::int64_t> shape, const Syntax* element) : scope_(scope) {
  COTANGENT_CHECK(shape.size() <= kElementIndices.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::string name = kElementIndices[k];
    const Expr lo = scope.graph().constant(1), hi = scope.graph().constant(static_cast<Quad>(shape[k]));
    // Nobody wrote this loop: what it hides matters only where the name is used.
    if (element)
      for (const auto& node : element->nodes())
        if (node.kind == SyntaxKind::name && element->text(node.name) == name)
          scope.note_hidden_by(name, element->locate(node));
    const auto& loop = scope.enter_loop(name, lo, hi, {});
    loops_.push_back({loop.index, lo, hi});
    labels_.push_back(loop.values[0]);
  }
}

FamilyLoops::~FamilyLoops() {
  for (std::size_t k = 0; k < loops_.size(); ++k) scope_.leave_loop();
}

void check_index(const Scope& scope, Expr index, std::int64_t lo, std::int64_t hi, std::string_view array,
                 const Location& where, std::span<const Guard> guards) {
  const auto fault = find_index_fault(index, static_cast<double>(lo), static_cast<double>(hi), scope.loops(), guards,
                                      scope.parameters());
  if (!fault) return;
  const std::string at = fault->instance.empty() ? "" : fmt::format(" (at {})", fault->instance);
  switch (fault->kind) {
    case IndexFault::Kind::outside:
      throw ModelError(where,
                       fmt::format("index {:.15g} of '{}' is outside {}..{}{}", fault->value, array, lo, hi, at));
    case IndexFault::Kind::not_integer:
      throw ModelError(where, fmt::format("index {:.6g} of '{}' is not an integer{}", fault->value, array, at));
    case IndexFault::Kind::not_checked:
      throw ModelError(
          where,
          fmt::format("this index of '{}' has too many instances to check that it stays in {}..{}", array, lo, hi),
          "write it as a linear expression in the loop indices");
  }
  check_failed("the kind of the fault is known");
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
