#include "cotangent/elements/element_pieces.hpp"

#include <random>
#include <utility>

namespace cotangent {
namespace {

using Of = PiecewiseFamily::Of;
using Families = std::vector<Family> Elements::*;

// In the order of Of.
constexpr Families kMoving[] = {&Elements::energy, &Elements::constraints, &Elements::dissipation,
                                &Elements::forces, &Elements::rates,       &Elements::groups};

std::vector<Expr> arguments_of(const Family& family) {
  std::vector<Expr> x;
  for (const auto& slot : family.slots) x.push_back(slot.symbol);
  return x;
}

}  // namespace

std::vector<PiecewiseFamily> piecewise_families(const Elements& elements, Graph& graph) {
  std::vector<PiecewiseFamily> found;
  for (std::size_t of = 0; of < std::size(kMoving); ++of)
    for (const Family& stated : elements.*kMoving[of]) {
      Family family = stated.within(graph);
      Pieces pieces = pieces_of(family.f, arguments_of(family));
      if (!pieces.all.empty()) found.push_back({static_cast<Of>(of), std::move(family), std::move(pieces)});
    }
  return found;
}

std::shared_ptr<const Elements> blended_elements(const Elements& elements) {
  const auto graph = std::make_shared<Graph>(elements.graph);
  auto result = std::make_shared<Elements>(elements);
  std::mt19937_64 random(0);
  std::uniform_real_distribution<double> uniform(0, 1);
  bool has_pieces = false;
  for (const Families of : kMoving)
    for (Family& family : (*result).*of) {
      family = family.within(*graph);
      const Pieces pieces = pieces_of(family.f, arguments_of(family));
      has_pieces = has_pieces || !pieces.all.empty();
      family.f = blended(pieces, [&] {
        const Expr symbol = graph->new_symbol("a", SymbolKind::local),
                   entry = graph->new_symbol("c", SymbolKind::local);
        std::vector<Quad> table(static_cast<std::size_t>(family.count));
        for (Quad& x : table) x = Quad(uniform(random));
        family.columns.push_back(
            {symbol, entry, {{entry, static_cast<int>(result->tables.size()), IndexMap::affine(0, 1)}}});
        result->tables.push_back(std::move(table));
        return symbol;
      });
    }
  if (!has_pieces) return nullptr;
  graph->freeze();
  result->graph = graph;
  return result;
}

}  // namespace cotangent
