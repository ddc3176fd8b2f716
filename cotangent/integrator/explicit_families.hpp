#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Explicit Runge-Kutta methods, and extrapolation.
template <class T>
std::vector<MethodFamily<T>> explicit_families();

}  // namespace cotangent
