#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Explicit Runge-Kutta methods.
template <class T>
std::vector<MethodFamily<T>> explicit_families();

}  // namespace cotangent
