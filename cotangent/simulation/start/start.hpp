#pragma once

#include <string>
#include <vector>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The point that a run starts from, see make_initial_data, where moreover H, the constraints and their first
/// derivatives, forces, rates and invariants are finite.
///
/// @param notes are added for observables that are not finite: a run can do without them.
/// @throws ModelError where one is not, at the operation that is the cause: a logarithm of a negative number, a
/// division by zero.
template <class T>
InitialData<T> make_start(const Model& model, Manifold<T>& manifold, InitialPolicy policy,
                          std::vector<std::string>& notes);

/// Why an ordinary differential equation has no step of length h from z: its first rate that is no number on the line
/// to where z moves, or invariant, with the operation that is the cause. Empty if all are numbers there.
template <class T>
std::string find_breakdown(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z, const T& h);

/// What a run under `lagrange-2` needs of its first point, on the manifold: minimal coordinates and velocities.
///
/// @pre the model has [minimal].
/// @throws ModelError at [minimal], where there are none.
template <class T>
void expect_minimal_start(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z);

}  // namespace cotangent
