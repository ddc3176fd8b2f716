#include "cotangent/manifold/coupling_pattern.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/derivatives/derivatives.hpp"

namespace cotangent {
namespace {

// Pairs (i, j) of coordinates whose momenta some term of H couples, i != j, both ways.
std::vector<std::pair<std::int64_t, std::int64_t>> momentum_coupling(const Elements& elements) {
  if (elements.declared) return elements.declared->momentum_pairs;
  Graph graph(elements.graph);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Family& stated : elements.energy) {
    const Family family = stated.within(graph);
    std::vector<Expr> symbols;
    for (const auto& slot : family.slots) symbols.push_back(slot.symbol);
    const auto f_x = gradient(family.f, symbols);
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      if (family.slots[s].space != Space::p) continue;
      const auto f_sx = gradient(f_x[s], symbols);
      for (std::size_t t = 0; t < symbols.size(); ++t) {
        if (t == s || family.slots[t].space != Space::p || f_sx[t].is_constant(0)) continue;
        for (std::int64_t k = 0; k < family.count; ++k)
          pairs.emplace_back(family.slots[s].at(k), family.slots[t].at(k));
      }
    }
  }
  return pairs;
}

bool is_coupled(const Elements& elements) {
  if (elements.declared) return elements.declared->is_coupled;
  const auto uses = [](const std::vector<Family>& families, Space space) {
    return std::ranges::any_of(families, [space](const Family& family) { return family.uses(space); });
  };
  return uses(elements.constraints, Space::w) || uses(elements.groups, Space::p);
}

}  // namespace

CouplingPattern coupling_pattern(const Elements& elements) {
  CouplingPattern pattern;
  pattern.is_full = is_coupled(elements);
  if (pattern.is_full) {
    for (int i = 0; i < elements.m && elements.m <= kLimits.full; ++i)
      for (int j = 0; j < i; ++j) pattern.off_diagonal.emplace_back(i, j);
    return pattern;
  }

  std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(elements.n));  // rows that use a coordinate
  for (const Family& family : elements.constraints) {
    for (const auto& slot : family.slots) {
      if (slot.space != Space::q) continue;
      for (std::int64_t k = 0; k < family.count; ++k) rows_of[slot.at(k)].push_back(static_cast<int>(family.row(k)));
    }
  }
  if (elements.declared)
    for (const auto& [row, column] : elements.declared->constraint_places)
      rows_of[column].push_back(static_cast<int>(row));
  std::vector<std::vector<std::int64_t>> coordinates_of(static_cast<std::size_t>(elements.m)), coupled(rows_of.size());
  for (std::int64_t a = 0; a < elements.n; ++a) {
    for (const int i : rows_of[a]) coordinates_of[i].push_back(a);
    coupled[a].push_back(a);
  }
  for (const auto& [a, b] : momentum_coupling(elements)) {
    coupled[a].push_back(b);
    coupled[b].push_back(a);
  }
  // Row by row, each pair once: the pairs of dense constraints meet in every coordinate.
  std::vector<int> seen_by(static_cast<std::size_t>(elements.m), -1), row;
  for (int i = 0; i < elements.m; ++i) {
    row.clear();
    for (const std::int64_t a : coordinates_of[i])
      for (const std::int64_t b : coupled[a])
        for (const int j : rows_of[b])
          if (j < i && std::exchange(seen_by[j], i) != i) row.push_back(j);
    std::sort(row.begin(), row.end());
    for (const int j : row) pattern.off_diagonal.emplace_back(i, j);
  }
  return pattern;
}

std::vector<int> color_columns(int size, const std::vector<std::pair<int, int>>& off_diagonal) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) neighbours[i].push_back(i);
  for (const auto& [i, j] : off_diagonal) {
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  std::vector<int> color(static_cast<std::size_t>(size), -1);
  std::vector<int> taken_by(static_cast<std::size_t>(size), -1);  // column that last saw this colour in a shared row
  for (int c = 0; c < size; ++c) {
    for (const int row : neighbours[c])
      for (const int other : neighbours[row])
        if (color[other] >= 0) taken_by[color[other]] = c;
    int k = 0;
    while (taken_by[k] == c) ++k;
    color[c] = k;
  }
  return color;
}

}  // namespace cotangent
