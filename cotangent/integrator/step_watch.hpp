#pragma once

#include <array>
#include <cstdint>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The energy and the residuals where steps end, seen by a method that makes many steps as one kernel: the same
/// numbers, to the last bit, as somebody who stops there and looks.
template <class T>
struct StepWatch {
  enum Number : std::uint8_t {
    energy,    ///< H - H_start
    position,  ///< max |g|
    momentum,  ///< max |G H_p|
    kNumbers,
  };
  T H_start = T(0);
  std::array<T, kNumbers> last{};     ///< where the last step ends
  std::array<T, kNumbers> largest{};  ///< the largest magnitudes, of all steps; not a number if one of them is none
  T condition = T(0);                 ///< the largest R_ii / D_i of R = G H_pp G' = L D U, however rows are ordered
};

}  // namespace cotangent
