#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/language/resolver.hpp"

namespace cotangent {
namespace {

// The entries a[i, 1], a[i, 2], ... of one array.
bool is_row(const Value& vector) {
  const Expr first = vector[0];
  if (first.op() != Op::entry) return false;
  for (std::size_t c = 0; c < vector.size(); ++c) {
    const Expr e = vector[c];
    if (e.op() != Op::entry || e.symbol_id() != first.symbol_id()) return false;
    for (int d = 0; d + 1 < e.arity(); ++d)
      if (e.arg(d) != first.arg(d)) return false;
    if (!e.arg(e.arity() - 1).is_constant(static_cast<double>(c + 1))) return false;
  }
  return true;
}

}  // namespace

Value Resolver::name(const SyntaxNode& node) {
  const std::string name = syntax_.text(node.name);
  if (const auto index = scope_.find_index(name)) return *index;
  if (const Value* argument = scope_.find_argument(name))
    return adapted(*argument, node, fmt::format("the argument '{}'", name));
  const Named& named = lookup(node.name);
  if (named.kind == NameKind::multiplier) return multiplier(node, name, named);
  if (named.function)
    fail(node.span,
         fmt::format("the definition '{}' takes {}", name, plural(named.function->arguments.size(), "argument")),
         fmt::format("write {}(...)", name));
  if (named.family || named.recursion)
    fail(node.span,
         fmt::format("the definition '{}' has {}", name,
                     plural(named.family ? named.family->labels.size() : 1, "index")),
         fmt::format("write {}[i]", name));
  if (named.is_array()) return array_as_vector(node, name, named);
  if (named.kind == NameKind::parameter && purpose().parameter_values) return graph_.constant(named.parameter->value);
  if (named.kind == NameKind::definition) return adapted(named.value, node, fmt::format("the definition '{}'", name));
  return named.value;
}

Value Resolver::entry(const SyntaxNode& node) {
  const std::string name = syntax_.text(node.name);
  if (scope_.find_index(name)) fail(node.name, fmt::format("'{}' is the index of a loop, not an array", name));
  if (const Value* argument = scope_.find_argument(name)) {
    if (!argument->is_vector()) fail(node.span, fmt::format("the argument '{}' is a number, not an array", name));
    return component_of(adapted(*argument, node, fmt::format("the argument '{}'", name)), node, name);
  }
  if (scope_.frame().before && scope_.frame().definition == name) return value_before(node, name);
  const Named& named = lookup(node.name);
  if (named.kind == NameKind::multiplier) return multiplier(node, name, named);
  if (named.family) return family_definition(node, name, named);
  if (named.recursion) return recursion(node, name, *named.recursion);
  if (named.function)
    fail(node.span, fmt::format("the definition '{}' takes arguments, not indices", name),
         fmt::format("write {}(...)", name));
  if (named.kind == NameKind::definition && named.value.is_vector())
    return component_of(adapted(named.value, node, fmt::format("the definition '{}'", name)), node, name);
  if (!named.is_array()) fail(node.span, fmt::format("the {} '{}' is not an array", describe(named.kind), name));
  return array_entry(node, name, named);
}

Value Resolver::array_entry(const SyntaxNode& node, const std::string& name, const Named& named) {
  const std::size_t rank = named.shape.size(), given = node.children.size();
  if (given != rank && given + 1 != rank)
    fail(node.span, fmt::format("'{}' has {}, not {}", name, plural(rank, "index"), given));
  std::vector<Expr> indices;
  for (std::size_t k = 0; k < given; ++k)
    indices.push_back(index(syntax_.node(node.children[k]), 1, named.shape[k], name));
  if (given == rank) return array_value(named.array, indices);
  return vector_over_last(named.array, std::move(indices), named.shape.back(), node);
}

Value Resolver::array_as_vector(const SyntaxNode& node, const std::string& name, const Named& named) {
  if (named.shape.size() > 1)
    fail(node.span, fmt::format("'{}' is an array of {}", name, plural(named.shape.size(), "index")),
         fmt::format("an entry is written {}[i, ...]", name));
  return vector_over_last(named.array, {}, named.shape[0], node);
}

Value Resolver::vector_over_last(SymbolId array, std::vector<Expr> indices, std::int64_t size, const SyntaxNode& node) {
  if (size > kLimits.components)
    fail(node.span,
         fmt::format("'{}' is an array of {} entries, too many for a vector; the limit is {}", syntax_.text(node.span),
                     size, kLimits.components),
         fmt::format("an entry is written {}[i]; entries are added up with sum(i in 1..{}, ...)",
                     syntax_.text(node.name), size));
  std::vector<Expr> components;
  indices.emplace_back();
  for (std::int64_t k = 1; k <= size; ++k) {
    indices.back() = graph_.constant(static_cast<Quad>(k));
    components.push_back(array_value(array, indices));
  }
  return Value(std::move(components));
}

// The number that an entry of a table is, where its indices are known.
Expr Resolver::array_value(SymbolId array, std::span<const Expr> indices) {
  const auto table = scope_.parameters().find(array);
  if (table == scope_.parameters().end()) return graph_.entry(array, indices);
  std::vector<std::int64_t> numbers;
  for (const Expr e : indices) {
    if (!e.is_constant()) return graph_.entry(array, indices);
    numbers.push_back(static_cast<std::int64_t>(e.value()));
  }
  return graph_.constant(parameter_value(*table->second, numbers));
}

Value Resolver::component_of(const Value& vector, const SyntaxNode& node, const std::string& name) {
  if (node.children.size() != 1)
    fail(node.span, fmt::format("'{}' is {} and has 1 index, not {}", name, vector.describe(), node.children.size()));
  return component(vector, syntax_.node(node.children[0]), name);
}

// By a number, or by an index of a loop: an entry of the array that the vector is made of, or one of the components,
// if(k == 1, a, if(k == 2, b, c)).
Expr Resolver::component(const Value& vector, const SyntaxNode& node, const std::string& name) {
  const std::size_t size = vector.size();
  const Expr k = index(node, 1, static_cast<std::int64_t>(size), name);
  if (k.is_constant()) return vector[static_cast<std::size_t>(k.value()) - 1];
  if (is_row(vector)) {
    std::vector<Expr> indices;
    for (int d = 0; d + 1 < vector[0].arity(); ++d) indices.push_back(vector[0].arg(d));
    indices.push_back(k);
    return graph_.entry(vector[0].symbol_id(), indices);
  }
  if (std::cmp_greater(size, kLimits.choices))
    fail(node.span,
         fmt::format("'{}' is {}; its component must be a number here, the limit for an index is {}", name,
                     vector.describe(), kLimits.choices),
         "dot(a, b), norm(a) and norm2(a) add up over components; a list in [parameters] takes any index");
  Expr result = vector[size - 1];
  for (std::size_t c = size - 1; c-- > 0;) {
    if (result == vector[c]) continue;
    const Expr here = graph_.apply(Op::eq, k, graph_.constant(static_cast<Quad>(c + 1)));
    result = graph_.apply(Op::select, here, vector[c], result);
  }
  return result;
}

// A definition or an argument may contain what its user must not; an index needs numbers where others need symbols.
Value Resolver::adapted(Value value, const SyntaxNode& use, std::string_view what) {
  const auto kinds = scope_.kinds_in(value);
  if (!purpose().parameter_values && purpose().allows_all(kinds)) return value;

  Replacement replacement;
  for (const Expr e : reachable(value.components())) {
    if (e.op() != Op::symbol && e.op() != Op::entry) continue;
    const NameKind kind = kind_of(e.symbol());
    if (!purpose().allows(kind))
      fail(use.span,
           fmt::format("{} contains the {} '{}', which cannot be used in {}", what, describe(kind), e.symbol().name,
                       purpose().place),
           purpose().advice_for(kind, e.symbol().name));
    const auto parameter = scope_.parameters().find(e.symbol_id());
    if (purpose().parameter_values && e.op() == Op::symbol && parameter != scope_.parameters().end())
      replacement.emplace(e.id(), graph_.constant(parameter->second->value));
  }
  return value.map([&](Expr e) { return substitute(e, replacement); });
}

Expr Resolver::index(const SyntaxNode& node, std::int64_t lo, std::int64_t hi, std::string_view array) {
  const Expr index = index_expression(node);
  const auto where = syntax_.locate(node);
  if (index.is_constant())
    return graph_.constant(
        static_cast<Quad>(to_integer(index.value(), lo, hi, fmt::format("index of '{}'", array), where)));
  // Only a branch that is taken has to be in range; the index is kept harmless in the others.
  if (!find_index_fault(index, lo, hi, scope_.loops(), {}, scope_.parameters())) return index;
  check_index(scope_, index, lo, hi, array, where, context_.guards);
  return graph_.apply(Op::max, graph_.constant(static_cast<Quad>(lo)),
                      graph_.apply(Op::min, index, graph_.constant(static_cast<Quad>(hi))));
}

// A bound of a loop: an integer in every instance of the loops around it.
Expr Resolver::bound(SyntaxId id) {
  const SyntaxNode& node = syntax_.node(id);
  const Expr bound = index_expression(node);
  const auto where = syntax_.locate(node);
  const auto max = kLimits.integer;
  if (bound.is_constant())
    return graph_.constant(static_cast<Quad>(to_integer(bound.value(), -max, max, "bound of the loop", where)));
  const auto fault = find_index_fault(bound, -max, max, scope_.loops(), {}, scope_.parameters());
  if (fault && fault->kind == IndexFault::Kind::not_checked)
    throw ModelError(where, "this bound of the loop has too many instances to check that it is an integer");
  if (fault)
    throw ModelError(
        where, fmt::format("the bound of the loop is {:.6g}, not an integer (at {})", fault->value, fault->instance));
  return bound;
}

Expr Resolver::index_expression(const SyntaxNode& node) {
  const Purpose* outside = std::exchange(context_.purpose, &kFor.index);
  const Expr result = number(node);
  context_.purpose = outside;
  if (result.is_constant()) return result;
  // A sum of numbers is a number, too.
  const bool varies = depends_on(result, [&](Expr e) {
    const auto& loops = scope_.loops();
    return e.op() == Op::symbol &&
           std::any_of(loops.begin(), loops.end(), [&](const auto& loop) { return loop.index == e.symbol_id(); });
  });
  return varies ? result : graph_.constant(known_value(result, scope_.parameters()));
}

const Named& Resolver::lookup(Span span) {
  const std::string name = syntax_.text(span);
  const Named* named = scope_.find(name);
  if (!named && is_word_of_language(name))
    fail(span, fmt::format("'{}' is a function", name), fmt::format("write {}(...)", name));
  if (!named) {
    const std::string meant = scope_.meant_by(name, scope_.usable_names(purpose()));
    fail(span, fmt::format("unknown name '{}'", name),
         meant.empty() ? fmt::format("numbers are named in [parameters], as {} = 1.0", name) : meant);
  }
  if (!purpose().allows(named->kind))
    fail(span, fmt::format("the {} '{}' cannot be used in {}", describe(named->kind), name, purpose().place),
         purpose().advice_for(named->kind, name));
  if (named->pending)
    fail(span,
         fmt::format("the definition '{}' contains a multiplier, which cannot be used in {}", name, purpose().place),
         purpose().advice_for(NameKind::multiplier, name));
  scope_.use(name);
  return *named;
}

}  // namespace cotangent
