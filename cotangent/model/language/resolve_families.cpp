#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {
namespace {

bool is_index_of(Expr label, const Loop& loop) { return label.op() == Op::symbol && label.symbol_id() == loop.index; }

}  // namespace

// lambda_c: the number of the value in question, in the order of Constraint.
Value Resolver::multiplier(const SyntaxNode& node, const std::string& name, const Named& named) {
  COTANGENT_CHECK(named.family);
  const NamedValues& family = *named.family;
  const std::size_t labels = family.labels.size(), given = node.children.size();
  const std::size_t components = family.components.size();
  const bool whole_vector = family.is_vector && given == labels;
  if (!whole_vector && given != labels + (family.is_vector ? 1 : 0))
    fail(node.span, fmt::format("'{}' has {}, as its constraint has, not {}", name,
                                plural(labels + (family.is_vector ? 1 : 0), "index"), given));
  if (family.loops.empty() && !family.is_vector) return graph_.symbol_expr(named.array);

  // Instances count with the innermost loop fastest, components faster than that.
  Expr number = graph_.constant(0);
  const auto instances = instance(family, node, name);
  for (std::size_t l = 0; l < family.loops.size(); ++l) {
    const auto& [symbol, lo, hi] = family.loops[l];
    if (!lo.is_constant() || !hi.is_constant())
      fail(node.span, fmt::format("the loops of '{}' have bounds that depend on each other", name.substr(7)),
           "multipliers of such a family can be used if it is written over an index list, \"(i,j) in pairs\"");
    number = number * graph_.constant(hi.value() - lo.value() + 1) + (instances[l] - lo);
  }
  number = number * graph_.constant(static_cast<Quad>(components));
  const auto value = [&](Expr component) { return graph_.entry(named.array, std::array{number + component}); };
  if (!family.is_vector) return value(graph_.constant(1));
  if (!whole_vector)
    return value(index(syntax_.node(node.children.back()), 1, static_cast<std::int64_t>(components), name));
  std::vector<Expr> result;
  for (std::size_t c = 1; c <= components; ++c) result.push_back(value(graph_.constant(static_cast<Quad>(c))));
  return Value(std::move(result));
}

Value Resolver::family_definition(const SyntaxNode& node, const std::string& name, const Named& named) {
  const NamedValues& family = *named.family;
  const std::size_t labels = family.labels.size(), given = node.children.size();
  if (given != labels && !(family.is_vector && given == labels + 1))
    fail(node.span, fmt::format("the definition '{}' has {}, not {}", name, plural(labels, "index"), given));
  Replacement replacement;
  const auto instances = instance(family, node, name);
  for (std::size_t l = 0; l < instances.size(); ++l)
    replacement.emplace(graph_.symbol_expr(family.loops[l].index).id(), instances[l]);
  const Value instance_value =
      Value(family.components, family.is_vector).map([&](Expr e) { return substitute(e, replacement); });
  const Value value = adapted(instance_value, node, fmt::format("the definition '{}'", name));
  if (given == labels) return value;
  return component(value, syntax_.node(node.children.back()), name);
}

// The loop indices of the instance whose labels are the given indices.
std::vector<Expr> Resolver::instance(const NamedValues& family, const SyntaxNode& node, const std::string& name) {
  std::vector<Expr> result;
  Replacement known;
  std::size_t label = 0;
  for (const auto& loop : family.loops) {
    if (is_index_of(family.labels[label], loop)) {
      const SyntaxNode& child = syntax_.node(node.children[label++]);
      const Expr lo = substitute(loop.lo, known), hi = substitute(loop.hi, known);
      if (lo.is_constant() && hi.is_constant()) {
        result.push_back(
            index(child, static_cast<std::int64_t>(lo.value()), static_cast<std::int64_t>(hi.value()), name));
      } else {
        result.push_back(index_expression(child));
        check_bound(result.back() - lo, child, name);
        check_bound(hi - result.back(), child, name);
      }
    } else {
      const Parameter& list = *scope_.parameters().at(family.labels[label].symbol_id());
      const std::size_t columns = list.shape.size() == 1 ? 1 : static_cast<std::size_t>(list.shape[1]);
      result.push_back(list_position(list, std::span(node.children).subspan(label, columns), node, name));
      label += columns;
    }
    known.emplace(graph_.symbol_expr(loop.index).id(), result.back());
  }
  return result;
}

// An index of a family whose bounds depend on other indices: not below the first, not beyond the last.
void Resolver::check_bound(Expr distance, const SyntaxNode& node, const std::string& name) {
  const auto fault =
      find_index_fault(distance, 0, kLimits.integer, scope_.loops(), context_.guards, scope_.parameters());
  if (!fault) return;
  fail(node.span, fmt::format("this index of '{}' leaves the loop that it was defined with{}", name,
                              fault->instance.empty() ? "" : fmt::format(" (at {})", fault->instance)));
}

// The row of an index list: that of the loop over the same list whose indices they are, or the one with these numbers.
Expr Resolver::list_position(const Parameter& list, std::span<const SyntaxId> indices, const SyntaxNode& node,
                             const std::string& name) {
  std::vector<Expr> given;
  for (const SyntaxId id : indices) given.push_back(index_expression(syntax_.node(id)));

  const auto is_column = [&](std::size_t c) {
    const Expr e = given[c];
    return e.op() == Op::entry && e.symbol_id() == list.symbol && e.arg(0) == given[0].arg(0) &&
           (e.arity() == 1 || e.arg(1).is_constant(static_cast<double>(c + 1)));
  };
  if (std::ranges::all_of(std::views::iota(std::size_t{0}, given.size()), is_column)) return given[0].arg(0);
  const bool numbers = std::ranges::all_of(given, [](Expr e) { return e.is_constant(); });
  if (!numbers)
    fail(node.span, fmt::format("'{}' runs over the index list '{}' and cannot be indexed this way", name, list.name),
         fmt::format("use the indices of a loop over '{}', or numbers", list.name));
  const auto rows = static_cast<std::size_t>(list.shape[0]);
  for (std::size_t row = 0; row < rows; ++row) {
    bool same = true;
    for (std::size_t c = 0; c < given.size(); ++c) same = same && list.table[row + c * rows] == given[c].value();
    if (same) return graph_.constant(static_cast<Quad>(row + 1));
  }
  fail(node.span, fmt::format("the index list '{}' has no such row", list.name));
}

}  // namespace cotangent
