#pragma once

#include <vector>

#include "cotangent/integrator/method_family.hpp"

namespace cotangent {

/// project:KIND(METHOD), with a metric, every=K, above=EPS and invariants as further arguments:
/// project:joint:euclidean(rk4), project:both:every=10(rk4), project:none:energy(rk4). See projected.hpp.
template <class T>
std::vector<MethodFamily<T>> projected_family();

}  // namespace cotangent
