#pragma once

#include <vector>

#include "cotangent/analyze/dirac/surface.hpp"

namespace cotangent {

using ExprMatrix = std::vector<std::vector<Expr>>;

/// Gauss-Jordan elimination of [A | B] in symbols, row by row, on a surface. Pivots are entries that are not weakly
/// zero, numbers before short expressions before long ones; what is weakly zero becomes 0.
///
/// Afterwards the row of a pivot has 1 in its column and all other pivots' columns are 0 there. Rows without a pivot
/// are zero in A: they are combinations of the rows before them, and what B has there is that combination of B.
struct Elimination {
  struct Pivot {
    std::size_t row, column;
  };
  std::vector<Pivot> pivots;
  ExprMatrix a, b;

  bool has_pivot(std::size_t row) const;
};
Elimination eliminate(Surface& surface, ExprMatrix a, ExprMatrix b);

ExprMatrix identity_matrix(Graph& graph, std::size_t n);

}  // namespace cotangent
