#pragma once

#include "cotangent/system/contraction.hpp"

namespace cotangent::direction {

/// Directions of the contractions that formulations are made of; the time advances at the rate one.
inline constexpr Contraction::Direction kMotion{.q = true, .t = true};
inline constexpr Contraction::Direction kTime{.q = false, .t = true};
inline constexpr Contraction::Direction kPosition{.q = true};
inline constexpr Contraction::Direction kMomentum{.q = false, .p = true};
inline constexpr Contraction::Direction kBoth{.q = true, .p = true};
inline constexpr Contraction::Direction kFlow{.q = true, .p = true, .t = true};

}  // namespace cotangent::direction
