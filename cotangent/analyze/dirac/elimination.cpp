#include "cotangent/analyze/dirac/elimination.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cotangent/analyze/dirac/rounded_sum.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

Expr settled(Surface& surface, Expr e) {
  const Expr result = surface.simplified(e);
  return !result.is_constant() && surface.is_zero_by_value(result) ? e.graph().constant(0) : result;
}

// row -= factor * pivot
void subtract(Surface& surface, std::vector<Expr>& row, Expr factor, const std::vector<Expr>& pivot) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (!pivot[k].is_constant(0)) row[k] = settled(surface, (RoundedSum(row[k]) -= factor * pivot[k]).value());
}

std::size_t length(Expr e) { return e.is_constant() ? 0 : reachable(std::array{e}).size(); }

}  // namespace

bool Elimination::has_pivot(std::size_t row) const {
  return std::any_of(pivots.begin(), pivots.end(), [&](const Pivot& pivot) { return pivot.row == row; });
}

Elimination eliminate(Surface& surface, ExprMatrix a, ExprMatrix b) {
  Elimination result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (Expr& e : a[i]) e = settled(surface, e);
    for (const auto& [row, column] : result.pivots) {
      const Expr factor = a[i][column];
      if (factor.is_constant(0)) continue;
      subtract(surface, a[i], factor, a[row]);
      subtract(surface, b[i], factor, b[row]);
    }
    std::size_t best = a[i].size(), least = std::numeric_limits<std::size_t>::max();
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      if (a[i][k].is_constant(0) || length(a[i][k]) >= least) continue;
      best = k;
      least = length(a[i][k]);
    }
    if (best == a[i].size()) continue;
    const Expr pivot = a[i][best];
    for (auto* row : {&a[i], &b[i]})
      for (Expr& e : *row)
        if (!e.is_constant(0)) e = settled(surface, e / pivot);
    for (const auto& [row, column] : result.pivots) {
      const Expr factor = a[row][best];
      if (factor.is_constant(0)) continue;
      subtract(surface, a[row], factor, a[i]);
      subtract(surface, b[row], factor, b[i]);
    }
    result.pivots.push_back({i, best});
  }
  result.a = std::move(a);
  result.b = std::move(b);
  return result;
}

ExprMatrix identity_matrix(Graph& graph, std::size_t n) {
  ExprMatrix result(n, std::vector<Expr>(n, graph.constant(0)));
  for (std::size_t k = 0; k < n; ++k) result[k][k] = graph.constant(1);
  return result;
}

}  // namespace cotangent
