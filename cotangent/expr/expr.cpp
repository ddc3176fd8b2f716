#include "cotangent/expr/expr.hpp"

#include <cstring>
#include <utility>

#include "cotangent/base/check.hpp"

namespace cotangent {

Op Expr::op() const { return graph_->node(id_).op; }
int Expr::arity() const { return graph_->node(id_).arity; }
Expr Expr::arg(int k) const { return {graph_, graph_->node(id_).args[static_cast<std::size_t>(k)]}; }
Quad Expr::value() const { return graph_->node(id_).value; }
bool Expr::is_constant(double value) const { return is_constant() && this->value() == static_cast<Quad>(value); }
SymbolId Expr::symbol_id() const { return graph_->node(id_).symbol; }
const Symbol& Expr::symbol() const { return graph_->symbol(symbol_id()); }

Graph::Graph(std::shared_ptr<const Graph> base)
    : base_(std::move(base)),
      first_node_(base_->node_count()),
      first_symbol_(base_->symbol_count()),
      numbered_(base_->numbered_) {
  COTANGENT_CHECK(base_->is_frozen_);
}

Graph::Graph(const Graph& other)
    : base_(other.base_),
      first_node_(other.first_node_),
      first_symbol_(other.first_symbol_),
      nodes_(other.nodes_),
      symbols_(other.symbols_),
      numbered_(other.numbered_),
      index_(other.index_) {}

SymbolId Graph::declare(std::string name, SymbolKind kind, int rank) {
  COTANGENT_CHECK(!is_frozen_);
  symbols_.push_back({std::move(name), kind, rank});
  return static_cast<SymbolId>(symbol_count() - 1);
}

namespace {

void mix(std::size_t& seed, std::size_t value) { seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2); }

}  // namespace

std::optional<NodeId> Graph::find(const Node& node, std::size_t hash) const {
  if (base_)
    if (const auto found = base_->find(node, hash)) return found;
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Node& other = this->node(it->second);
    if (other.op == node.op && other.symbol == node.symbol && other.arity == node.arity && other.args == node.args &&
        std::memcmp(&other.value, &node.value, sizeof(Quad)) == 0)
      return it->second;
  }
  return std::nullopt;
}

Expr Graph::intern(const Node& node) {
  std::array<std::uint64_t, 2> bits;
  static_assert(sizeof(bits) == sizeof(Quad));
  std::memcpy(bits.data(), &node.value, sizeof(bits));
  std::size_t hash = static_cast<std::size_t>(node.op);
  mix(hash, node.symbol);
  mix(hash, bits[0]);
  mix(hash, bits[1]);
  for (std::size_t k = 0; k < node.arity; ++k) mix(hash, node.args[k]);

  if (const auto found = find(node, hash)) return {this, *found};
  COTANGENT_CHECK(!is_frozen_);
  const auto id = static_cast<NodeId>(node_count());
  nodes_.push_back(node);
  index_.emplace(hash, id);
  return {this, id};
}

Expr Graph::make(Op op, std::span<const Expr> args, SymbolId symbol) {
  COTANGENT_CHECK(args.size() <= kMaxArity);
  Node node;
  node.op = op;
  node.symbol = symbol;
  node.arity = static_cast<std::uint8_t>(args.size());
  for (std::size_t k = 0; k < args.size(); ++k) {
    COTANGENT_CHECK(&args[k].graph() == this);
    node.args[k] = args[k].id();
  }
  return intern(node);
}

Expr Graph::constant(Quad value) {
  Node node;
  node.value = value == 0 ? 0 : value;  // one zero
  return intern(node);
}

Expr Graph::symbol_expr(SymbolId id) {
  COTANGENT_CHECK(symbol(id).rank == 0);
  return make(Op::symbol, {}, id);
}

Expr Graph::numbered_symbol(std::size_t k) {
  while (numbered_.size() <= k) numbered_.push_back(declare("y" + std::to_string(numbered_.size()), SymbolKind::local));
  return symbol_expr(numbered_[k]);
}

Expr Graph::entry(SymbolId array, std::span<const Expr> indices) {
  COTANGENT_CHECK(std::cmp_equal(indices.size(), symbol(array).rank));
  return make(Op::entry, indices, array);
}

Expr Graph::sum(SymbolId index, Expr lo, Expr hi, Expr body) {
  COTANGENT_CHECK(symbol(index).kind == SymbolKind::index);
  if (body.is_constant(0)) return body;
  if (lo.is_constant() && hi.is_constant() && hi.value() < lo.value()) return constant(0);
  return make(Op::sum, std::array{lo, hi, body}, index);
}

Expr Graph::rebuild(Expr e, std::span<const Expr> args) {
  switch (e.op()) {
    case Op::constant:
    case Op::symbol:
      return e;
    case Op::entry:
      return entry(e.symbol_id(), args);
    case Op::sum:
      return sum(e.symbol_id(), args[0], args[1], args[2]);
    default:
      return apply(e.op(), args);
  }
}

Expr operator+(Expr a, Expr b) { return a.graph().apply(Op::add, a, b); }
Expr operator-(Expr a) { return a.graph().apply(Op::mul, a.graph().constant(-1), a); }
Expr operator-(Expr a, Expr b) { return a + -b; }
Expr operator*(Expr a, Expr b) { return a.graph().apply(Op::mul, a, b); }
Expr operator/(Expr a, Expr b) { return a.graph().apply(Op::div, a, b); }
Expr operator+(Expr a, double b) { return a + a.graph().constant(b); }
Expr operator+(double a, Expr b) { return b.graph().constant(a) + b; }
Expr operator-(Expr a, double b) { return a - a.graph().constant(b); }
Expr operator-(double a, Expr b) { return b.graph().constant(a) - b; }
Expr operator*(Expr a, double b) { return a * a.graph().constant(b); }
Expr operator*(double a, Expr b) { return b.graph().constant(a) * b; }
Expr operator/(Expr a, double b) { return a / a.graph().constant(b); }
Expr operator/(double a, Expr b) { return b.graph().constant(a) / b; }

Expr pow(Expr a, Expr b) { return a.graph().apply(Op::pow, a, b); }
Expr pow(Expr a, double b) { return pow(a, a.graph().constant(b)); }
Expr sqrt(Expr a) { return a.graph().apply(Op::sqrt, a); }
Expr sin(Expr a) { return a.graph().apply(Op::sin, a); }
Expr cos(Expr a) { return a.graph().apply(Op::cos, a); }
Expr exp(Expr a) { return a.graph().apply(Op::exp, a); }
Expr log(Expr a) { return a.graph().apply(Op::log, a); }
Expr abs(Expr a) { return a.graph().apply(Op::abs, a); }
Expr max(Expr a, Expr b) { return a.graph().apply(Op::max, a, b); }
Expr sum_error(Expr a, Expr b) { return a.graph().apply(Op::sum_error, a, b); }
Expr rounded(Expr a) { return a.graph().apply(Op::rounded, a); }
Expr select(Expr condition, Expr a, Expr b) { return a.graph().apply(Op::select, condition, a, b); }

}  // namespace cotangent
