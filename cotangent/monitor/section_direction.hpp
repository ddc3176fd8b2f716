#pragma once

#include <cstdint>

namespace cotangent {

/// In which direction the expression of a section passes zero.
enum class SectionDirection : std::uint8_t { up, down, both };

}  // namespace cotangent
