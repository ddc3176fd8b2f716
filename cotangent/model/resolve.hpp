#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/scope.hpp"
#include "cotangent/model/syntax.hpp"
#include "cotangent/model/value.hpp"

namespace cotangent {

/// From syntax to expressions: looks names up in the scope, checks what the grammar cannot (kinds, ranks,
/// sizes of vectors, numbers of arguments, ranges of indices, division by zero) and builds nodes of the scope's graph.
///
/// Parameters stay symbols, except in indices and bounds, where they stand for their numbers; entries of tables are
/// numbers where their indices are. An index that an `if` around it keeps in range is clamped to the range, so that it
/// may be evaluated in every instance.
///
/// All throw ModelError at the first mistake; the scope is then of no further use.
Value resolve_value(Scope& scope, const Syntax& expression, const Purpose& purpose);

/// The same for a part of the expression.
Value resolve_value(Scope& scope, const Syntax& expression, const SyntaxNode& node, const Purpose& purpose);

/// The same, where a vector is a mistake.
Expr resolve_expression(Scope& scope, const Syntax& expression, const Purpose& purpose);

/// lhs - rhs.
Value resolve_equation(Scope& scope, const Syntax& equation, const Purpose& purpose);

/// The number that an expression of constants and parameters stands for; it is finite.
Quad resolve_number(Scope& scope, const Syntax& syntax, const SyntaxNode& node, const Purpose& purpose);

/// Loops of a family, entered on construction and left on destruction.
class FamilyLoops {
 public:
  FamilyLoops(Scope& scope, const Syntax& loops);

  /// 1..shape[0], 1..shape[1], ... with the indices i, j, k, l.
  /// @param element what will be resolved inside the loops; may be null.
  FamilyLoops(Scope& scope, std::span<const std::int64_t> shape, const Syntax* element);

  ~FamilyLoops();
  FamilyLoops(const FamilyLoops&) = delete;
  FamilyLoops& operator=(const FamilyLoops&) = delete;

  const std::vector<Loop>& loops() const { return loops_; }

  /// The indices as the user knows them, in the order of the loops.
  const std::vector<Expr>& labels() const { return labels_; }

 private:
  Scope& scope_;
  std::vector<Loop> loops_;
  std::vector<Expr> labels_;
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
