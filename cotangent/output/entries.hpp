#pragma once

#include <cstdint>
#include <vector>

namespace cotangent {

/// The places of the entries of an array of a model, a coordinate or state, in the order in which they are written:
/// the last index runs fastest, as in nested lists.
std::vector<std::int64_t> entries_in_reading_order(const std::vector<std::int64_t>& shape, std::int64_t offset);

}  // namespace cotangent
