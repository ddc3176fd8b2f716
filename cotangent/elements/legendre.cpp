#include "cotangent/elements/legendre.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

std::vector<Expr> symbols_of(const Family& family) {
  std::vector<Expr> symbols;
  for (const auto& slot : family.slots) symbols.push_back(slot.symbol);
  return symbols;
}

// The smallest value of a mass, a function of the columns, over the instances.
double smallest(Expr mass, const Family& family, const std::vector<std::vector<Quad>>& tables) {
  if (mass.is_constant()) return static_cast<double>(mass.value());
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t k = 0; k < family.count; ++k) {
    const LeafValue<double> leaf = [&](SymbolId symbol, auto) {
      for (const auto& column : family.columns) {
        if (column.symbol.symbol_id() != symbol) continue;
        return evaluate<double>(column.value, [&](SymbolId inner, auto) {
          for (const auto& index : family.indices)
            if (index.symbol.symbol_id() == inner) return static_cast<double>(index.at(k));
          for (const auto& entry : column.entries)
            if (entry.symbol.symbol_id() == inner)
              return static_cast<double>(
                  tables[static_cast<std::size_t>(entry.table)][static_cast<std::size_t>(entry.at(k))]);
          return std::numeric_limits<double>::quiet_NaN();
        });
      }
      return std::numeric_limits<double>::quiet_NaN();
    };
    const double value = evaluate<double>(mass, leaf);
    if (!(value >= least)) least = value;
  }
  return least;
}

// sum_s m_s v_s^2/2 + rest(q) -> sum_s p_s^2/(2 m_s) - rest(q); nothing if the family is not of that form.
std::optional<Family> transformed(const Family& family, const Elements& elements) {
  const std::vector<Expr> symbols = symbols_of(family);
  const auto is_slot = [&](Expr e) { return std::find(symbols.begin(), symbols.end(), e) != symbols.end(); };
  const auto f_x = gradient(family.f, symbols);
  Graph& graph = family.f.graph();
  Replacement at_rest;
  for (const auto& slot : family.slots)
    if (slot.space == Space::v) at_rest.emplace(slot.symbol.id(), graph.constant(0));

  Family result = family;
  result.f = -substitute(family.f, at_rest);
  for (std::size_t s = 0; s < symbols.size(); ++s) {
    if (family.slots[s].space != Space::v) continue;
    const auto f_sx = gradient(f_x[s], symbols);
    for (std::size_t r = 0; r < symbols.size(); ++r)
      if (r != s && !f_sx[r].is_constant(0)) return std::nullopt;
    const Expr mass = f_sx[s];
    if (depends_on(mass, is_slot) || !substitute(f_x[s], at_rest).is_constant(0)) return std::nullopt;
    if (!(smallest(mass, family, elements.tables) > 0)) return std::nullopt;
    result.f = result.f + pow(symbols[s], 2) / (2 * mass);
    result.slots[s].space = Space::p;
  }
  return result;
}

}  // namespace

bool transform_point_masses(Elements& elements) {
  // Functions of sums that contain velocities.
  for (const Family& group : elements.groups)
    if (group.uses(Space::v)) return false;
  std::vector<char> touched(static_cast<std::size_t>(elements.n), 0);
  std::vector<Family> energy;
  for (const Family& family : elements.energy) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::v) continue;
      for (std::int64_t k = 0; k < family.count; ++k)
        if (touched[static_cast<std::size_t>(slot.at(k))]++ > 0) return false;
    }
    auto changed = transformed(family, elements);
    if (!changed) return false;
    energy.push_back(std::move(*changed));
  }
  if (std::find(touched.begin(), touched.end(), 0) != touched.end()) return false;
  elements.energy = std::move(energy);
  elements.dynamics = Dynamics::hamiltonian;
  return true;
}

void add_constraint_rates(Elements& elements, const std::vector<double>& c) {
  const auto own_graph = std::make_shared<Graph>(elements.graph);
  Graph& graph = *own_graph;
  const std::size_t energy_before = elements.energy.size();
  const Space space = elements.dynamics == Dynamics::lagrangian ? Space::v : Space::p;
  // Rows that are sums over several instances: the rate is an inner sum.
  std::vector<int> instances(static_cast<std::size_t>(elements.m), 0);
  for (const Family& family : elements.constraints)
    for (std::int64_t i = 0; i < family.count; ++i) ++instances[static_cast<std::size_t>(family.row(i))];
  const std::int64_t first_group = elements.group_count;
  const std::size_t group_families = elements.groups.size();
  double group_c = 0;
  for (std::size_t k = 0; k < elements.constraints.size(); ++k) {
    const Family family = elements.constraints[k].within(graph);
    if (family.uses(Space::w))
      throw std::invalid_argument(
          "L_vv is singular, and a constraint that would have to make up for it is a function of a sum: write L so "
          "that every velocity has a mass");
    const auto g_x = gradient(family.f, symbols_of(family));
    Family added = family;
    Expr rate = graph.constant(0);
    for (std::size_t s = 0; s < family.slots.size(); ++s) {
      if (family.slots[s].space == Space::t) {
        if (space == Space::v) rate = rate + g_x[s];
        continue;
      }
      const Expr v = graph.new_symbol("v" + family.slots[s].symbol.symbol().name, SymbolKind::local);
      added.slots.push_back({v, space, family.slots[s].at});
      rate = rate + g_x[s] * v;
    }
    // A row is squared as a whole, never in parts.
    bool is_whole = true;
    for (std::int64_t i = 0; i < family.count; ++i)
      is_whole = is_whole && instances[static_cast<std::size_t>(family.row(i))] == 1;
    if (is_whole) {
      added.row = IndexMap::fixed(0);
      added.f = pow(rate, 2) * (c[k] / 2);
      elements.energy.push_back(std::move(added));
    } else {
      added.row = family.row.shifted(first_group);
      added.f = rate;
      group_c = std::max(group_c, c[k]);
      elements.groups.push_back(std::move(added));
    }
  }
  elements.added_energy = static_cast<std::int64_t>(elements.energy.size() - energy_before);
  if (elements.groups.size() > group_families) {
    ++elements.added_energy;
    elements.group_count += elements.m;
    Family squares;
    squares.count = elements.m;
    const Expr w = graph.new_symbol("rate", SymbolKind::local);
    squares.slots.push_back({w, Space::w, IndexMap::affine(first_group, 1)});
    squares.f = pow(w, 2) * (group_c / 2);
    elements.energy.push_back(std::move(squares));
  }
  graph.freeze();
  elements.graph = own_graph;
}

}  // namespace cotangent
