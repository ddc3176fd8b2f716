#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/spec.hpp"
#include "cotangent/system/operation/contraction.hpp"

namespace cotangent {

/// The matrix that couples constraints, R = G W G' with a constant diagonal W, as kernels.
///
/// Two constraints are coupled where they share a coordinate. Which slots of which instances coincide is itself a
/// family: rod i and rod i+1 share (x_i, y_i), for all i alike. So the entries of R are element functions over index
/// lists, like H and g: instance k of family f and instance l of family h give
///
///   R(row_f(k), row_h(l)) += sum over shared (a, b)  df/dx_a(k) W dh/dx_b(l),
///
/// one kernel for each (f, h, set of shared slots), with no index list where instances are shifted copies.
///
/// `symmetric` gives R(q) = G(q) W G(q)'; `newton` gives G(Q) W G(q)', which is not symmetric.
struct CouplingPlan {
  /// Numbers of the vectors beyond those of contractions: Q is in::q, q is in::a_q (for `newton`), W is in::weights.
  enum Output : int { diagonal, lower, upper, kOutputs };

  std::shared_ptr<Graph> graph;                   ///< of the kernels
  std::vector<std::pair<int, int>> off_diagonal;  ///< (i, j) with i > j, the place of lower[e]; upper[e] is (j, i)
  SpecSequence symmetric, newton;
};

/// @param uniform_mass the value of W if it is the same for all coordinates: then no vector is read.
/// Nothing if a constraint uses the time, or group variables, whose gradient is no element function, or if constraints
/// meet in too many different ways.
/// @throws std::invalid_argument if R has more than 2^28 entries.
std::optional<CouplingPlan> plan_coupling(const Elements& elements, std::optional<Quad> uniform_mass);

}  // namespace cotangent
