#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// The first entry of the target that no initial value assigns, by its indices (none for a scalar);
/// nothing if all are assigned.
/// @param shape of the target. @pre indices of the initial values are in range.
std::optional<std::vector<std::int64_t>> first_missing_entry(std::span<const Assignment> initial, SymbolId target,
                                                             const std::vector<std::int64_t>& shape);

}  // namespace cotangent
