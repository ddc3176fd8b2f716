#include <fmt/core.h>

#include <array>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {

// s[k]: a component of it may follow.
Value Resolver::recursion(const SyntaxNode& node, const std::string& name, const RecursiveDefinition& recursion) {
  const Expr end = index_expression(syntax_.node(node.children[0]));
  const auto sum = [&] {
    Resolver body(scope_, recursion.body, context_);
    return body.partial_sum(recursion.body.root(), recursion.index, end);
  };
  const Value value =
      adapted(inside(node, name, {{recursion.index, end}}, sum), node, fmt::format("the definition '{}'", name));
  if (node.children.size() == 1) return value;
  if (!value.is_vector() || node.children.size() > 2)
    fail(node.span, fmt::format("the definition '{}' is {} and has {}, not {}", name, value.describe(),
                                plural(value.is_vector() ? 2 : 1, "index"), node.children.size()));
  return component(value, syntax_.node(node.children[1]), name);
}

// The body if(i == first, A, s[i-1] + B), up to an end: A and the sum of B.
Value Resolver::partial_sum(const SyntaxNode& node, const std::string& index, Expr end) {
  const auto is_index = [&](SyntaxId id) {
    const SyntaxNode& side = syntax_.node(id);
    return side.kind == SyntaxKind::name && syntax_.text(side.name) == index;
  };
  const SyntaxNode* condition =
      node.kind == SyntaxKind::call && syntax_.text(node.name) == "if" && node.children.size() == 3
          ? &syntax_.node(node.children[0])
          : nullptr;
  if (!condition || condition->kind != SyntaxKind::equal || !is_index(condition->children[0]))
    fail(node.span, "a definition that refers to itself says where it begins",
         fmt::format("write if({0} == 1, ..., {1}[{0}-1] + ...)", index, scope_.frame().definition));
  const Expr first = index_expression(syntax_.node(condition->children[1]));
  if (!first.is_constant()) fail(condition->span, "a recursion begins at a number");
  check_bound(end - first, *condition, scope_.frame().definition);

  scope_.frame().arguments.insert_or_assign(index, first);
  const Value begin = child(node, 1);
  if (end == first) return begin;
  scope_.frame().arguments.insert_or_assign(index, end);
  const Expr second = first + graph_.constant(1);
  const SymbolId symbol = scope_.enter_loop(index, second, end, syntax_.locate(node)).index;
  const Expr i = graph_.symbol_expr(symbol);
  const double terms_outside = context_.terms, run_terms_outside = context_.run_terms;
  count_terms({{symbol, second, end}}, node);
  Value& before = scope_.frame().before.emplace(
      begin.map([&](Expr) { return graph_.new_symbol(scope_.frame().definition, SymbolKind::local); }));
  const Value next = child(node, 2);
  if (!alike(begin, next))
    fail(node.span, fmt::format("one branch of 'if' is {}, the other {}", begin.describe(), next.describe()));
  const Value terms = Value::combine(next, before, [&](Expr e, Expr symbol_before) {
    const Expr term = added(e, symbol_before);
    if (!term.valid())
      fail(syntax_.node(node.children[2]).span, "a definition that refers to itself adds to what it was before",
           fmt::format("write {}[{}-1] + ...", scope_.frame().definition, index));
    return term;
  });
  scope_.frame().before.reset();
  scope_.leave_loop();
  context_.terms = terms_outside;
  context_.run_terms = run_terms_outside;
  return Value::combine(begin, terms, [&](Expr a, Expr b) {
    if (substitute(b, {{i.id(), first}}) == a) return graph_.sum(symbol, first, end, b);
    return a + graph_.sum(symbol, second, end, b);
  });
}

// s[i-1] in the body of s.
Value Resolver::value_before(const SyntaxNode& node, const std::string& name) {
  const Expr here = *scope_.find_index(scope_.loops()[scope_.frame().first_loop].names[0]);
  if (index_expression(syntax_.node(node.children[0])) != here - graph_.constant(1))
    fail(node.span, fmt::format("'{}' refers to itself at another index than the one before", name));
  const Value& before = *scope_.frame().before;
  return node.children.size() == 1 ? before : component(before, syntax_.node(node.children[1]), name);
}

// What e adds to `before`; invalid if it does something else with it.
Expr Resolver::added(Expr e, Expr before) {
  if (e == before) return graph_.constant(0);
  const auto has = [&](Expr x) { return depends_on(x, [&](Expr y) { return y == before; }); };
  if (e.op() != Op::add) return {};
  const int side = has(e.arg(0)) ? 0 : 1;
  if (has(e.arg(1 - side))) return {};
  const Expr rest = added(e.arg(side), before);
  return rest.valid() ? rest + e.arg(1 - side) : rest;
}

}  // namespace cotangent
