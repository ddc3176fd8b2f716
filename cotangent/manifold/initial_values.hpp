#pragma once

#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// The numbers that [initial] of a model says.
template <class T>
struct InitialValues {
  std::vector<T> q, p, v, s;
  std::vector<char> by_velocity;  ///< whether v is given for an entry, not p
};

/// @throws ModelError at the value of an entry that is not finite.
template <class T>
InitialValues<T> evaluate_initial(const Model& model);

}  // namespace cotangent
