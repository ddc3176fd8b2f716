#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// All nodes that the roots reach, arguments before users (in order of id).
std::vector<Expr> reachable(std::span<const Expr> roots);

/// Replaces nodes (by id) and rebuilds what depends on them, simplified. Arguments of a replaced node are not
/// visited.
using Replacement = std::unordered_map<NodeId, Expr>;
Expr substitute(Expr e, const Replacement& replacement);

/// The same for several expressions: what they have in common is rebuilt once. The entries of a gradient share most of
/// their nodes, and one by one would cost the square of their number.
class Substitution {
 public:
  /// @param replacement must outlive this; it may be large, and is not copied.
  explicit Substitution(const Replacement& replacement) : replacement_(replacement) {}

  Expr operator()(Expr e);

 private:
  const Expr* find(Expr e) const;

  const Replacement& replacement_;
  Replacement done_;
};

/// e in another graph, built in the order in which it was built here. @param leaves what stands there for its symbols.
Expr transplanted(Expr e, Graph& graph, const Replacement& leaves);

/// Whether a node that satisfies the predicate occurs in e.
bool depends_on(Expr e, const std::function<bool(Expr)>& is_target);

/// Gives the value of a symbol, or of an array entry with its indices. Indices of sums are not asked for.
template <class T>
using LeafValue = std::function<T(SymbolId symbol, std::span<const std::int64_t> indices)>;

/// The value of e by walking the graph, for T = double, Quad: slow, simple, and the reference that
/// faster evaluators are tested against. Sums are added term by term.
template <class T>
T evaluate(Expr e, const LeafValue<T>& leaf);

/// e in the language of model files; reading it again gives the same node.
std::string to_string(Expr e);

/// The same for people: sums and products without the parentheses that show in what order they were made.
std::string to_text(Expr e);

/// e in LaTeX, without the dollar signs: \frac{p_{x}^{2}}{2 m}.
std::string to_latex(Expr e);

/// The shortest decimal that reads back as the same number.
std::string to_string(Quad value);

/// The quotient of integers up to 10^9 whose rounded value is the number, or up to `within` of its size from it, if
/// there is one.
struct SmallFraction {
  std::int64_t numerator, denominator;
};
std::optional<SmallFraction> small_fraction(Quad value, Quad within = 0);

}  // namespace cotangent
