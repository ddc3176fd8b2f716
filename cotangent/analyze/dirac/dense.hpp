#pragma once

#include <vector>

#include "cotangent/base/quad.hpp"

namespace cotangent {

using DenseMatrix = std::vector<std::vector<Quad>>;

/// A rank by elimination with complete pivoting, rows scaled to size one, and how clear it is.
struct NumericRank {
  int rank = 0;
  std::vector<std::size_t> rows = {};  ///< of the pivots, in their order
  Quad smallest_kept = 1;              ///< pivot
  Quad largest_dropped = 0;            ///< of what is left when the pivots are used up

  /// Pivots that are neither clearly there nor clearly rounding errors are none that a rank could be told from.
  bool is_clear() const;
};
NumericRank numeric_rank(DenseMatrix a);

/// x with A x = b, for square A. Empty if A is singular.
std::vector<Quad> solve_dense(DenseMatrix a, std::vector<Quad> b);

}  // namespace cotangent
