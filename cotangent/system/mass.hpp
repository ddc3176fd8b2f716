#pragma once

#include <optional>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/spec.hpp"
#include "cotangent/system/contraction.hpp"

namespace cotangent {

/// The inverse mass matrix W = H_pp, where it is diagonal and constant (point masses).
struct DiagonalMass {
  std::shared_ptr<Graph> graph;     ///< of the kernels
  std::vector<KernelSpec> kernels;  ///< add the diagonal to out::result, a vector of n numbers
  bool is_homogeneous = true;       ///< H_p = W p, without a part that does not depend on p
};

/// Nothing where W is not diagonal and constant, as far as the symbols tell.
std::optional<DiagonalMass> constant_diagonal_mass(const Elements& elements);

}  // namespace cotangent
