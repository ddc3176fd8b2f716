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

/// Adds c_f/2 (g'[(v, 1)])^2, the square of the rate of every constraint, to a Lagrangian; c_f for each family of
/// constraints.
///
/// On the manifold the rate vanishes and so does what was added, with its first derivatives: the motion and the momenta
/// L_v are the same. But L_vv becomes L_vv + sum c G'G, which is positive definite wherever the saddle matrix
/// [[L_vv, G'], [G, 0]] is regular and L_vv is positive semidefinite: massless points, quaternions of rigid bodies.
/// @throws std::invalid_argument if a constraint is a function of a sum.
///
/// To a Hamiltonian c_f/2 (G p)^2 is added: where H does not depend on momenta along G' (body angular momenta in
/// quaternions), these are free, G p = 0 is a choice that the motion does not notice, and G H_pp G' becomes regular.
void add_constraint_rates(Elements& elements, const std::vector<double>& c);

}  // namespace cotangent
