#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Explicit symplectic methods for H = T(p) + V(q, t) without constraints.
template <class T>
std::vector<MethodFamily<T>> splitting_families();

}  // namespace cotangent
