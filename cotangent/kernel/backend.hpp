#pragma once

#include <cstdint>

namespace cotangent {

/// How expressions are evaluated.
enum class Backend : std::uint8_t {
  jit,          ///< machine code for this CPU, by LLVM; double and Lanes only
  interpreter,  ///< instruction by instruction; every T, same bits
};

/// Whether the library was built with LLVM.
bool has_jit();

}  // namespace cotangent
