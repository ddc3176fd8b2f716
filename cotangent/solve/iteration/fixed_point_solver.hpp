#pragma once

#include <cstdint>

namespace cotangent {

/// How an equation x = Phi(x) is solved; in the end always to rounding.
enum class FixedPointSolver : std::uint8_t {
  automatic,   ///< functional iteration where it converges fast, Newton's method otherwise
  functional,  ///< functional iteration only
  newton,      ///< Newton's method from the first iteration on
};

}  // namespace cotangent
