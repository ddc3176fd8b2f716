#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/wording.hpp"
#include "cotangent/model/language/scope.hpp"
#include "cotangent/model/language/syntax.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// From syntax to expressions: looks names up in the scope, checks what the grammar cannot (kinds, ranks,
/// sizes of vectors, numbers of arguments, ranges of indices, division by zero) and builds nodes of the scope's graph.
///
/// Parameters stay symbols, except in indices and bounds, where they stand for their numbers; entries of tables are
/// numbers where their indices are. An index that an `if` around it keeps in range is clamped to the range, so that it
/// may be evaluated in every instance.
///
/// All throw ModelError at the first mistake; the scope is then of no further use.
class Resolver {
 public:
  Resolver(Scope& scope, const Syntax& syntax, const Purpose& purpose);

  /// Of the whole text, or of a part of it.
  Value value() { return value(syntax_.root()); }
  Value value(const SyntaxNode& node);

  /// The same, where a vector is a mistake.
  Expr number() { return number(syntax_.root()); }
  Expr number(const SyntaxNode& node);

  /// left - right; a number 0 on one side stands for a vector of zeros.
  Value equation();

  /// Enters the loops one after the other: bounds see the indices before them.
  std::vector<Loop> enter(const std::vector<LoopSyntax>& loops);

 private:
  // What surrounds an expression, and goes along into the definitions that it uses.
  struct Context {
    const Purpose* purpose;
    std::vector<Guard> guards = {};
    double terms = 1;      // of the sums around, together
    double length = 1;     // of the last loop with constant bounds
    double run_terms = 1;  // of the sums around whose length is known
    int depth = 0;
  };

  Resolver(Scope& scope, const Syntax& syntax, Context context);

  // resolver.cpp: arithmetic.
  Value child(const SyntaxNode& node, std::size_t k) { return value(syntax_.node(node.children[k])); }
  Expr child_number(const SyntaxNode& node, std::size_t k) { return number(syntax_.node(node.children[k])); }
  Value dispatch(const SyntaxNode& node);
  Value chain(const SyntaxNode& node);
  Value combine(const SyntaxNode& link, const Value& left, const Value& right);
  Value vector_literal(const SyntaxNode& node);
  Expr comparison(const SyntaxNode& node);
  Expr apply(Op op, const SyntaxNode& node, std::initializer_list<Expr> args);

  // resolve_names.cpp: what names and indexed names stand for.
  Value name(const SyntaxNode& node);
  Value entry(const SyntaxNode& node);
  Value array_entry(const SyntaxNode& node, const std::string& name, const Named& named);
  Value array_as_vector(const SyntaxNode& node, const std::string& name, const Named& named);
  Value vector_over_last(SymbolId array, std::vector<Expr> indices, std::int64_t size, const SyntaxNode& node);
  Value component_of(const Value& vector, const SyntaxNode& node, const std::string& name);
  Expr component(const Value& vector, const SyntaxNode& node, const std::string& name);
  Expr array_value(SymbolId array, std::span<const Expr> indices);
  Value adapted(Value value, const SyntaxNode& use, std::string_view what);
  Expr index(const SyntaxNode& node, std::int64_t lo, std::int64_t hi, std::string_view array);
  Expr bound(SyntaxId id);
  Expr index_expression(const SyntaxNode& node);
  const Named& lookup(Span span);

  // resolve_families.cpp: multipliers and indexed definitions, which have an instance for every run through their
  // loops.
  Value multiplier(const SyntaxNode& node, const std::string& name, const Named& named);
  Value family_definition(const SyntaxNode& node, const std::string& name, const Named& named);
  std::vector<Expr> instance(const NamedValues& family, const SyntaxNode& node, const std::string& name);
  Expr list_position(const Parameter& list, std::span<const SyntaxId> indices, const SyntaxNode& node,
                     const std::string& name);
  void check_bound(Expr distance, const SyntaxNode& node, const std::string& name);

  // resolve_recursions.cpp: definitions that refer to themselves.
  Value recursion(const SyntaxNode& node, const std::string& name, const RecursiveDefinition& recursion);
  Value partial_sum(const SyntaxNode& node, const std::string& name, Expr end);
  Value value_before(const SyntaxNode& node, const std::string& name);
  Expr added(Expr e, Expr before);

  // resolve_calls.cpp: functions, sums, definitions with arguments.
  Value call(const SyntaxNode& node);
  Value vector_function(const SyntaxNode& node, const std::string& name);
  Value expand(const SyntaxNode& node, const std::string& name, const FunctionDefinition& function);
  Value inside(const SyntaxNode& node, const std::string& name, std::map<std::string, Value> arguments,
               const std::function<Value()>& body);
  Value conditional(const SyntaxNode& node);
  Value sum(const SyntaxNode& node);
  Loop enter_range(const LoopSyntax& loop);
  Loop enter_list(const LoopSyntax& loop);
  void count_terms(const std::vector<Loop>& loops, const SyntaxNode& node);
  [[noreturn]] void unknown_function(const SyntaxNode& node, const std::string& name);

  const Purpose& purpose() const { return *context_.purpose; }
  [[noreturn]] void fail(Span span, std::string message, std::string suggestion = {}) const;

  Scope& scope_;
  Graph& graph_;
  const Syntax& syntax_;
  Context context_;
};

/// The number that an expression of constants and parameters stands for; it is finite.
Quad resolve_number(Scope& scope, const Syntax& syntax, const SyntaxNode& node, const Purpose& purpose);

/// Loops of a family, entered on construction and left on destruction.
class FamilyLoops {
 public:
  FamilyLoops(Scope& scope, const Syntax& text);

  /// 1..shape[0], 1..shape[1], ... with the indices i, j, k, l.
  /// @param element what will be resolved inside the loops; may be null.
  FamilyLoops(Scope& scope, std::span<const std::int64_t> shape, const Syntax* element);

  ~FamilyLoops();
  FamilyLoops(const FamilyLoops&) = delete;
  FamilyLoops& operator=(const FamilyLoops&) = delete;

  std::vector<Loop> loops;
  std::vector<Expr> labels;  ///< the indices as the user knows them, in the order of the loops

 private:
  Scope& scope_;
};

/// @throws ModelError unless the index, in every instance of the scope's loops that the guards admit, is an integer in
/// lo..hi.
void check_index(const Scope& scope, Expr index, std::int64_t lo, std::int64_t hi, std::string_view array,
                 const Location& where, std::span<const Guard> guards = {});

/// The integer in lo..hi that a constant stands for; `what` is named in the message of the error.
std::int64_t to_integer(Quad value, std::int64_t lo, std::int64_t hi, std::string_view what, const Location& where);

/// The same for an expression that is an index or a size.
std::int64_t resolve_integer(Scope& scope, const Syntax& syntax, const SyntaxNode& node, std::int64_t lo,
                             std::int64_t hi, std::string_view what);

}  // namespace cotangent
