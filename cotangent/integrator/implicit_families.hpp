#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Implicit Runge-Kutta methods.
template <class T>
std::vector<MethodFamily<T>> implicit_families();

}  // namespace cotangent
