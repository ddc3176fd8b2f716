#pragma once

#include <optional>
#include <span>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The first time in (0, h] at which a polynomial c_0 + c_1 t + c_2 t^2 + ..., not negative at 0, becomes negative; one
/// where it is negative already, up to rounding. None is missed: an interval is left only where the lower order terms
/// about its middle outweigh all others, which excludes a root, or where the slope does, which leaves one at most.
template <class T>
std::optional<T> first_crossing(std::span<const T> c, T h);

}  // namespace cotangent
