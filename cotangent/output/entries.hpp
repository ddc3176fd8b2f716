#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// The places of a coordinate's entries in q, in the order in which they are written: the last index runs
/// fastest, as in nested lists.
std::vector<std::int64_t> entries_in_reading_order(const Coordinate& coordinate);

}  // namespace cotangent
