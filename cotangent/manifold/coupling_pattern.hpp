#pragma once

#include <utility>
#include <vector>

#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// Where R = G H_pp G' may be different from zero, from the index lists: constraints are coupled if they use
/// coordinates that are equal or that some term of H couples through their momenta.
struct CouplingPattern {
  std::vector<std::pair<int, int>> off_diagonal;  ///< (i, j), i > j, each once
  bool is_full = false;  ///< a function of a sum, or of all coordinates, couples everything; then all pairs are listed
                         ///< unless m > kLimits.full
};
CouplingPattern coupling_pattern(const Elements& elements);

/// Colours of the columns of a matrix with this symmetric pattern such that no row meets two columns of a colour:
/// greedy, in order.
std::vector<int> color_columns(int size, const std::vector<std::pair<int, int>>& off_diagonal);

}  // namespace cotangent
