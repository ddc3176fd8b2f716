#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Constraints of which no point near z satisfies all, such as x + y = 1 and 2 x + 2 y = 3: their gradients are
/// dependent, and their values are not,
///
///   G_r = sum_j c_j G_j   but   g_r != sum_j c_j g_j,
///
/// at z and at random points around it. In the order of rows; empty if there are none. For T = double, Quad.
template <class T>
std::vector<std::int64_t> contradicting_rows(Manifold<T>& manifold, const PhasePoint<T>& z);

}  // namespace cotangent
