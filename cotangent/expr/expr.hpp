#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cotangent/base/quad.hpp"
#include "cotangent/expr/op.hpp"

namespace cotangent {

class Graph;
using NodeId = std::uint32_t;
using SymbolId = std::uint32_t;

/// What a symbol stands for. The graph itself does not care; later layers do.
enum class SymbolKind : std::uint8_t {
  parameter,   ///< a number given by the user, or a table of numbers
  index,       ///< a loop index i
  coordinate,  ///< q
  momentum,    ///< p_q
  velocity,    ///< v_q
  state,       ///< a variable beside the coordinates, with an equation of its own
  multiplier,  ///< lambda of a constraint
  minimal,     ///< a minimal coordinate, of which q is a function
  time,        ///< t
  local,       ///< an argument of an element function or of a kernel
};

struct Symbol {
  std::string name;
  SymbolKind kind;
  int rank;  ///< number of indices; 0 for a scalar
};

/// A node of an expression graph, by reference: cheap to copy, equal exactly when structurally equal.
///
/// Expressions are immutable and hash-consed: building the same expression twice gives the same node, so
/// comparison is comparison of two numbers and common subexpressions are found while building. Arguments always
/// have smaller ids than the node that uses them: the order of ids is a topological order.
///
/// The operators simplify as they build, by rules that keep the value wherever the original is finite: constants
/// are folded, 0 + x, 1 x, x^1, 0 x, x + x, c x + d x, x x, (x^m)(x^n) for integers m, n of one sign, ...
/// Never by rules that enlarge the domain of definition: x/x and sqrt(x)^2 stay.
///
/// The graph must outlive its expressions.
class Expr {
 public:
  Expr() = default;
  Expr(Graph* graph, NodeId id) : graph_(graph), id_(id) {}

  Graph& graph() const { return *graph_; }
  NodeId id() const { return id_; }
  bool valid() const { return graph_ != nullptr; }

  Op op() const;
  int arity() const;
  Expr arg(int k) const;

  /// @pre op() == Op::constant.
  Quad value() const;
  bool is_constant() const { return op() == Op::constant; }
  bool is_constant(double value) const;

  /// @pre op() is symbol, entry or sum.
  SymbolId symbol_id() const;
  const Symbol& symbol() const;

  friend bool operator==(const Expr& a, const Expr& b) { return a.graph_ == b.graph_ && a.id_ == b.id_; }

 private:
  Graph* graph_ = nullptr;
  NodeId id_ = 0;
};

/// An arena of expression nodes and the symbols they use. One that is frozen may be read by several threads; one that
/// grows belongs to one.
class Graph {
 public:
  static constexpr int kMaxArity = 4;

  Graph() = default;
  /// A graph that goes on where the base ends: nodes and symbols of the base are part of it, under the same numbers.
  /// @pre the base is frozen.
  explicit Graph(std::shared_ptr<const Graph> base);
  /// The same nodes and symbols under the same numbers; not frozen.
  Graph(const Graph& other);
  Graph& operator=(const Graph&) = delete;

  /// From now on there are no new nodes or symbols: operations on expressions of this graph fail a check.
  void freeze() { is_frozen_ = true; }

  /// An expression of the base, or of the graph that this one is a copy of, as one of this graph.
  Expr own(Expr e) { return {this, e.id()}; }

  /// Makes a new symbol; two symbols of one name are different.
  SymbolId declare(std::string name, SymbolKind kind, int rank = 0);
  const Symbol& symbol(SymbolId id) const {
    return id < first_symbol_ ? base_->symbol(id) : symbols_[id - first_symbol_];
  }
  std::size_t symbol_count() const { return first_symbol_ + symbols_.size(); }
  std::size_t node_count() const { return first_node_ + nodes_.size(); }

  Expr constant(Quad value);
  Expr constant(double value) { return constant(static_cast<Quad>(value)); }
  Expr constant(int value) { return constant(static_cast<Quad>(value)); }

  /// @pre the symbol has rank 0.
  Expr symbol_expr(SymbolId id);
  Expr new_symbol(std::string name, SymbolKind kind) { return symbol_expr(declare(std::move(name), kind)); }

  /// The k-th of a series of local symbols, always the same: arguments of kernels, by their number.
  Expr numbered_symbol(std::size_t k);

  /// @pre indices.size() equals the rank of the array.
  Expr entry(SymbolId array, std::span<const Expr> indices);

  /// sum(index in lo..hi, body); empty if hi < lo. @pre the index is a symbol of kind index.
  Expr sum(SymbolId index, Expr lo, Expr hi, Expr body);

  /// Any operation with expression arguments (not a leaf, entry or sum), simplified.
  Expr apply(Op op, std::span<const Expr> args);
  Expr apply(Op op, Expr a) { return apply(op, std::array{a}); }
  Expr apply(Op op, Expr a, Expr b) { return apply(op, std::array{a, b}); }
  Expr apply(Op op, Expr a, Expr b, Expr c) { return apply(op, std::array{a, b, c}); }

  /// The same node with other arguments, simplified again.
  Expr rebuild(Expr e, std::span<const Expr> args);

 private:
  friend class Expr;
  friend struct Simplifier;

  struct Node {
    Quad value = 0;  // constants
    std::array<NodeId, kMaxArity> args{};
    SymbolId symbol = 0;
    Op op = Op::constant;
    std::uint8_t arity = 0;
  };

  const Node& node(NodeId id) const { return id < first_node_ ? base_->node(id) : nodes_[id - first_node_]; }
  std::optional<NodeId> find(const Node& node, std::size_t hash) const;
  Expr intern(const Node& node);
  Expr make(Op op, std::span<const Expr> args, SymbolId symbol = 0);

  std::shared_ptr<const Graph> base_;
  std::size_t first_node_ = 0, first_symbol_ = 0;  // that are not the base's
  bool is_frozen_ = false;
  std::vector<Node> nodes_;
  std::vector<Symbol> symbols_;
  std::vector<SymbolId> numbered_;
  std::unordered_multimap<std::size_t, NodeId> index_;  // hash of a node -> nodes of that hash
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator+(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(Expr a, double b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);

Expr pow(Expr a, Expr b);
Expr pow(Expr a, double b);
Expr sqrt(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr exp(Expr a);
Expr log(Expr a);
Expr abs(Expr a);
Expr max(Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);

/// See Op::sum_error, Op::rounded.
Expr sum_error(Expr a, Expr b);
Expr rounded(Expr a);

}  // namespace cotangent
