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

/// The numbers of a table with a row for each frame, 16 bits each: column c is `low + (high - low) k/65535` with the
/// least and largest number of all columns of its axis, c modulo `axes`, and k is given by its second differences in
/// time, modulo 2^16. Adds "low" and "high" for each axis.
/// @pre rows times columns numbers; those that are not finite become 0.
Json packed_frames(std::span<const float> numbers, std::int64_t columns, std::int64_t axes);

}  // namespace cotangent
