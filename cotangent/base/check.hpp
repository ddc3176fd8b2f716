#pragma once

#include <source_location>

namespace cotangent {

/// Reports a broken invariant of the library itself and ends the program.
[[noreturn]] void check_failed(const char* condition, std::source_location where = std::source_location::current());

}  // namespace cotangent

/// Always compiled in; for conditions that only a defect of the library can break. Not for inner loops.
#define COTANGENT_CHECK(condition) static_cast<void>((condition) || (::cotangent::check_failed(#condition), false))
