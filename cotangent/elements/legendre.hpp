#pragma once

#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// Turns a Lagrangian of point masses into a Hamiltonian, element by element:
///
///   L = sum_j m_j v_j^2 / 2 - V(q, t)   ->   H = sum_j p_j^2 / (2 m_j) + V(q, t),
///
/// where every velocity has one positive constant mass that stands in one place. Other Lagrangians are left as they
/// are, and transformed at every point by solving L_v = p.
/// @return whether it was done.
bool transform_point_masses(Elements& elements);

}  // namespace cotangent
