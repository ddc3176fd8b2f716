#pragma once

#include "cotangent/manifold/initial_data.hpp"

namespace cotangent {

/// The point that a run starts from, see make_initial_data, where moreover H, the constraints and their first
/// derivatives are finite.
///
/// @throws std::invalid_argument, naming the function if one is not: a logarithm of a negative number, a division by
/// zero.
template <class T>
InitialData<T> make_start(const Model& model, Manifold<T>& manifold, InitialPolicy policy = InitialPolicy::project);

}  // namespace cotangent
