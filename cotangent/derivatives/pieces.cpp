#include "cotangent/derivatives/pieces.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

using Arguments = std::span<const Expr>;

Expr below(Expr a, Expr b) { return a.graph().apply(Op::lt, a, b); }

Expr itself(Expr e) { return e; }
Expr first(Arguments x) { return x[0]; }
Expr difference(Arguments x) { return x[0] - x[1]; }
Expr piece(Arguments /*x*/, Expr b) { return b; }
Expr chosen(Arguments x, Expr b) { return select(b, x[1], x[0]); }

/// An operation that has pieces.
struct Row {
  Op op;
  Expr (*number)(Expr e);                 // of the piece
  Expr (*on_piece)(Arguments x, Expr b);  // the operation on piece b
  Expr (*threshold)(Arguments x);         // a null pointer: its value does not jump
};

/// Every operation that has pieces; adding one is a row here. Equations, == and !=, have none: they differ from what is
/// around them at points only.
constexpr std::array kRows{
    Row{Op::abs, [](Expr e) { return below(e.arg(0), e.graph().constant(0)); },
        [](Arguments x, Expr b) { return select(b, -x[0], x[0]); }, nullptr},
    Row{Op::min, [](Expr e) { return below(e.arg(1), e.arg(0)); }, chosen, nullptr},
    Row{Op::max, [](Expr e) { return below(e.arg(0), e.arg(1)); }, chosen, nullptr},
    Row{Op::sign, itself, piece, first},
    Row{Op::floor, itself, piece, first},
    Row{Op::ceil, itself, piece, first},
    Row{Op::round, itself, piece, first},
    Row{Op::mod, [](Expr e) { return e.graph().apply(Op::floor, e.arg(0) / e.arg(1)); },
        [](Arguments x, Expr b) { return x[0] - x[1] * b; }, [](Arguments x) { return x[0] / x[1]; }},
    Row{Op::lt, itself, piece, difference},
    Row{Op::le, itself, piece, difference},
};

}  // namespace

Pieces pieces_of(Expr f, std::span<const Expr> x) {
  Graph& graph = f.graph();
  std::unordered_set<NodeId> active;
  for (const Expr& argument : x) active.insert(argument.id());
  std::unordered_map<NodeId, Expr> smooth;
  Pieces result;
  for (const Expr& e : reachable(std::array{f})) {
    std::vector<Expr> arguments;
    bool is_active = active.contains(e.id()), is_changed = false;
    for (int k = 0; k < e.arity(); ++k) {
      arguments.push_back(smooth.at(e.arg(k).id()));
      is_active = is_active || active.contains(e.arg(k).id());
      is_changed = is_changed || !(arguments.back() == e.arg(k));
    }
    if (is_active) active.insert(e.id());
    const auto row = std::ranges::find(kRows, e.op(), &Row::op);
    if (!is_active || row == kRows.end()) {
      smooth.emplace(e.id(), is_changed ? graph.rebuild(e, arguments) : e);
      continue;
    }
    const Expr b = graph.new_symbol("b", SymbolKind::local);
    result.all.push_back({e, row->number(e), b, row->threshold ? row->threshold(arguments) : Expr()});
    smooth.emplace(e.id(), row->on_piece(arguments, b));
  }
  result.smooth = smooth.at(f.id());
  return result;
}

Expr blended(const Pieces& pieces, const std::function<Expr()>& number) {
  if (pieces.all.empty()) return pieces.smooth;
  // Choices by the numbers of pieces; other conditions hold at points only, and stay.
  const auto without_choices = [&](Expr f, const Replacement& symbols) {
    std::unordered_map<NodeId, Expr> done;
    std::unordered_set<NodeId> active;
    for (const Expr& e : reachable(std::array{f})) {
      const auto symbol = symbols.find(e.id());
      std::vector<Expr> x;
      bool is_active = symbol != symbols.end();
      for (int k = 0; k < e.arity(); ++k) {
        x.push_back(done.at(e.arg(k).id()));
        is_active = is_active || active.contains(e.arg(k).id());
      }
      if (is_active) active.insert(e.id());
      const bool is_choice = e.op() == Op::select && active.contains(e.arg(0).id());
      done.emplace(e.id(), symbol != symbols.end() ? symbol->second
                           : is_choice             ? x[2] + x[0] * (x[1] - x[2])
                           : is_active             ? e.graph().rebuild(e, x)
                                                   : e);
    }
    return done.at(f.id());
  };
  Replacement symbols;
  for (const Piece& piece : pieces.all) {
    const Expr b = piece.threshold.valid() ? sin(without_choices(piece.threshold, symbols) + number()) : number();
    symbols.emplace(piece.symbol.id(), b);
  }
  return without_choices(pieces.smooth, symbols);
}

}  // namespace cotangent
