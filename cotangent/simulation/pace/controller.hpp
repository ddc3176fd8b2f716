#pragma once

#include <cstdint>

namespace cotangent {

/// How the lengths of steps are chosen.
enum class Controller : std::uint8_t {
  pi,          ///< from the errors of the last two steps, see step_control.cpp
  reversible,  ///< from a density that depends on the point only, see density_control.hpp
  even,        ///< all the same: for methods that move the time themselves, so that there is no grid
};

/// "pi", "reversible", "even".
const char* name_of(Controller controller);

}  // namespace cotangent
