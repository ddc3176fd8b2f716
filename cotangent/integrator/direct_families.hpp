#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// Methods on the constrained equations themselves, and such as return to the manifold within a step.
template <class T>
std::vector<MethodFamily<T>> direct_families();

}  // namespace cotangent
