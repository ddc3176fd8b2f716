#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Finds the constraints that follow from others, not only at z but wherever those hold, and tells the matrix of the
/// manifold how many they are: ConstraintMatrix::set_nullity().
///
/// Rows of G that depend on others at z may do so there only, as in the flat position of a parallelogram. So points
/// near z are projected with what the other rows determine: where all constraints are met in the end, those were
/// implied. Where they are not, as many are tried as are dependent at such a point.
/// @return those rows, by their gradients at z or, if fewer depend on others elsewhere, at a point near it.
template <class T>
std::vector<DependentRow<T>> settle_redundancy(Manifold<T>& manifold, const PhasePoint<T>& z);

/// Constraints of which no point near z satisfies all, such as x + y = 1 and 2 x + 2 y = 3: their gradients are
/// dependent, and their values are not,
///
///   G_r = sum_j c_j G_j   but   g_r != sum_j c_j g_j,
///
/// at z and at points near it. In the order of rows; empty if there are none.
template <class T>
std::vector<std::int64_t> contradicting_rows(Manifold<T>& manifold, const PhasePoint<T>& z);

/// Whether G H_pp G' is singular at z though no constraint follows from others there: then H_pp is singular across
/// them.
template <class T>
bool is_mass_singular(Manifold<T>& manifold, const PhasePoint<T>& z);

/// Whether det(H_pp) or det(G H_pp G') has another sign at q + h H_p, or a rounding error ahead of q, than at q: H_pp
/// becomes singular on the way, and momenta infinite. False for more numbers than are worth a full matrix.
template <class T>
bool is_mass_singular_ahead(Manifold<T>& manifold, const PhasePoint<T>& z, LaneOf<T> h);

}  // namespace cotangent
