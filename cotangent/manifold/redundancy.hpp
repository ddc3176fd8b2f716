#pragma once

#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Counts the constraints that follow from others, not only at z but wherever those hold, and tells the matrix of the
/// manifold: ConstraintMatrix::set_nullity().
///
/// Rows of G that depend on others at z may do so there only, as in the flat position of a parallelogram. So points
/// near z are projected with what the other rows determine: where all constraints are met in the end, those were
/// implied.
template <class T>
void settle_redundancy(Manifold<T>& manifold, const PhasePoint<T>& z);

}  // namespace cotangent
