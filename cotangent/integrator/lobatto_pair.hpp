#pragma once

#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The coefficients of the pair Lobatto IIIA-IIIB, and what the preconditioner of its equations needs of them.
template <class Number>
struct LobattoPair {
  using Matrix = std::vector<std::vector<Number>>;

  Matrix a, a_hat;          ///< IIIA and IIIB
  Matrix product, inverse;  ///< M = (sum_j a_ij â_jk), i = 2 .. s, k = 1 .. s - 1, and M^-1
  std::vector<Number> b, c;

  explicit LobattoPair(int stages);
};

COTANGENT_DECLARE(PRECISIONS, LobattoPair);

}  // namespace cotangent
