#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cotangent/output/json.hpp"

namespace cotangent {

/// Numbers for a page: {"type", "shape", "data"}, where the data are bytes, as planes (first bytes of all numbers, then
/// second ones, ...), deflated (zlib), in base64.

/// Numbers as they are, to the last bit; those that are not finite stay so.
Json packed(std::span<const double> numbers);

/// The numbers of a table with a row for each frame, 16 bits each: a number of a column is low + (high - low) k/65535
/// with the least and the largest one there, and k is given by its second differences in time, modulo 2^16. Adds "low"
/// and "high", with a number for each column.
/// @pre rows times columns numbers; those that are not finite become the least one.
Json packed_frames(std::span<const float> numbers, std::int64_t columns);

}  // namespace cotangent
