#pragma once

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The number that the shortest decimal of x names: a step of 0.1 is 0.1 in every precision, not the double
/// nearest to it.
template <class T>
T decimal(double x);

}  // namespace cotangent
