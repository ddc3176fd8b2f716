#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// reich(METHOD): see reich.hpp. Higher orders of it are compositions: compose:6(reich(stormer-verlet)).
template <class T>
std::vector<MethodFamily<T>> reich_family();

}  // namespace cotangent
