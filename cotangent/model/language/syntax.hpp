#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/model/source/excerpt.hpp"

namespace cotangent {

/// The grammar of expressions; {x} is any number of x, [x] is x or nothing.
///
///   equation   = expression "=" expression
///   loops      = loop {"," loop}
///   loop       = name "in" additive ".." additive
///              | name "in" name                                 over a list of single indices
///              | "(" name {"," name} ")" "in" name              over a list of rows
///   expression = additive [("<" | "<=" | ">" | ">=" | "==" | "!=") additive]
///   additive   = term {("+" | "-") term}
///   term       = factor {("*" | "/") factor}
///   factor     = ("-" | "+") factor | power                     -x^2 is -(x^2)
///   power      = primary ["^" factor]                           right-associative; 2^-3
///   primary    = number | name | name "[" list "]" | name "(" [list] ")"
///              | "sum" "(" loops "," expression ")"
///              | "(" expression ")" | "[" list "]"              the last one is a vector
///   list       = expression {"," expression}
///
/// Nothing is looked up here: a name may turn out not to exist, a call to have too many arguments.
enum class SyntaxKind : std::uint8_t {
  number,  ///< value
  name,    ///< name
  entry,   ///< name[children]
  call,    ///< name(children)
  vector,  ///< [children]
  sum,     ///< sum(loops, child)
  negate,  ///< -child
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  equation,  ///< child = child; only as a root
  loops,     ///< loops; only as a root
};

using SyntaxId = std::uint32_t;

/// index in lo..hi, or (index, ...) in a list.
struct LoopSyntax {
  std::vector<Span> names;
  SyntaxId lo = 0;  ///< meaningless for a loop over a list
  SyntaxId hi = 0;
  Span list;  ///< the name of the list; empty for a range
  Span span;

  bool over_list() const { return list.length() > 0; }
};

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::number;
  Span span;
  Span name;
  Quad value = 0;
  std::vector<SyntaxId> children;
  std::vector<LoopSyntax> loops;
};

/// A parsed text. Children are stored before the nodes that own them, the root last.
///
/// Chains such as a + b + c lean to the left and may be as long as the text; every other nesting is at most
/// kLimits.nesting deep.
class Syntax {
 public:
  const SyntaxNode& root() const { return nodes_.back(); }
  const SyntaxNode& node(SyntaxId id) const { return nodes_[id]; }
  const std::vector<SyntaxNode>& nodes() const { return nodes_; }
  const Excerpt& excerpt() const { return excerpt_; }

  std::string text(Span span) const { return excerpt_.text().substr(span.begin, span.length()); }
  Location locate(Span span) const { return excerpt_.locate(span); }
  Location locate(const SyntaxNode& node) const { return excerpt_.locate(node.span); }

 private:
  friend class Parser;

  Excerpt excerpt_;
  std::vector<SyntaxNode> nodes_;
};

/// @throws ModelError at the first mistake, all three.
Syntax parse_expression(Excerpt excerpt);
Syntax parse_equation(Excerpt excerpt);
Syntax parse_loops(Excerpt excerpt);

/// Adds the names that a text mentions, except those of its own indices.
void append_mentioned_names(const Syntax& syntax, std::vector<std::string>& names);

}  // namespace cotangent
