#pragma once

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// What a run under `lagrange-2` needs of its first point, on the manifold: minimal coordinates and velocities.
///
/// @pre the model has [minimal].
/// @throws ModelError at [minimal], where there are none.
template <class T>
void expect_minimal_start(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z);

}  // namespace cotangent
