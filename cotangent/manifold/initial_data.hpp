#pragma once

#include <cstdint>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/initial_policy.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The point that a trajectory starts from, and how far it is from what was given.
template <class T>
struct InitialData {
  PhasePoint<T> z;
  T position_change = T(0);  ///< max |q - q given|
  T momentum_change = T(0);  ///< max |p - p given|; where velocities were given, p given is theirs at the new q
  /// The positions were moved by lengths of the system: so far that the constraints are not nearly linear between the
  /// two, |g(q given) + G dq| > |G| |dq|/4 for one of them. On a circle that is half of the distance from its centre.
  bool is_moved_far = false;
};

/// Evaluates [initial] of a model, finds the momenta of given velocities, H_p(q, p) = v, and goes to the
/// manifold. For T = double, Quad: the trajectories of a batch have data of their own.
///
/// @param manifold of the same model.
/// @throws ModelError at the value or the constraint if a value is not finite, no momentum has the given velocities, or
/// no point of the manifold is found near the data.
template <class T>
InitialData<T> make_initial_data(const Model& model, Manifold<T>& manifold,
                                 InitialPolicy policy = InitialPolicy::project);

/// The error about a constraint whose gradient is zero where a trajectory is to start: x^2 + y^2 = 0 holds at the
/// origin, but no multiplier acts on it there.
ModelError vanishing_gradient(const Model& model, const Elements& elements, std::int64_t row);

}  // namespace cotangent
