#include "cotangent/analyze/dirac/bracket_text.hpp"

#include <fmt/format.h>

#include <array>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

// The position of the comma between two expressions: outside parentheses and brackets.
std::size_t separating_comma(const std::string& text) {
  int depth = 0;
  std::size_t found = text.npos;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '(' || text[k] == '[') ++depth;
    if (text[k] == ')' || text[k] == ']') --depth;
    if (text[k] != ',' || depth > 0) continue;
    if (found != text.npos) return text.npos;
    found = k;
  }
  return found;
}

Expr read_function(WrittenOut& written, const std::string& text) {
  const Expr e = written(read_expression(written.model(), text));
  for (const Expr node : reachable(std::array{e}))
    if (node.op() == Op::symbol &&
        (node.symbol().kind == SymbolKind::velocity || node.symbol().kind == SymbolKind::state))
      throw ModelError("bracket",
                       fmt::format("'{}' is no function on phase space: '{}' is a {}", text, node.symbol().name,
                                   node.symbol().kind == SymbolKind::velocity ? "velocity" : "state"),
                       "use coordinates, momenta and t");
  return e;
}

}  // namespace

std::pair<Expr, Expr> read_bracket(WrittenOut& written, const std::string& text) {
  const std::size_t comma = separating_comma(text);
  if (comma == text.npos)
    throw ModelError("bracket", fmt::format("'{}' is not a pair of expressions", text),
                     "write two, separated by a comma: \"x, p_x\"");
  return {read_function(written, text.substr(0, comma)), read_function(written, text.substr(comma + 1))};
}

}  // namespace cotangent
