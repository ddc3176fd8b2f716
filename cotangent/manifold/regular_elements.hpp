#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The elements of a model, with a regular L_vv where the system is Lagrangian.
///
/// A semidefinite L_vv (massless points, quaternions of rigid bodies) is completed with the squares of the rates of the
/// constraints, see add_constraint_rates, where that makes it regular at the initial data; a note says so. One that is
/// singular at the initial velocities only (L = v^4 at rest) is left as it is, with a note.
///
/// A Hamiltonian that does not depend on the momenta along the gradient of a constraint is completed likewise.
///
/// @throws ModelError at the Lagrangian, naming a coordinate, if L_vv stays singular.
std::shared_ptr<const Elements> regular_elements(const Model& model, std::vector<std::string>& notes);

}  // namespace cotangent
