#pragma once

#include <cstdint>

namespace cotangent {

/// How the lengths of steps are chosen.
enum class Controller : std::uint8_t {
  pi,          ///< from the errors of the last two steps, see pi_stepper.hpp
  reversible,  ///< from a density that depends on the point only, see reversible_stepper.hpp
};

/// "pi", "reversible".
const char* name_of(Controller controller);

}  // namespace cotangent
