#pragma once

#include <cstddef>
#include <string_view>

namespace cotangent {

/// Writes a text to an open file. A pipe whose reader stalls is waited for, but after a signal no more than a second.
/// @return how much of it was written; where that is less than all, errno says why.
std::size_t write_all(int file, std::string_view text) noexcept;

}  // namespace cotangent
