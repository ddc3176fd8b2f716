#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cotangent/model/index_range.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// An entry of an array by its indices; none for a scalar.
using EntryIndices = std::vector<std::int64_t>;

/// The first entry of the target that no assignment gives a value to; nothing if all have one.
/// @param shape of the target. @pre indices of the assignments are in range.
std::optional<EntryIndices> first_missing_entry(std::span<const Assignment> assignments, SymbolId target,
                                                const std::vector<std::int64_t>& shape, const ParameterMap& parameters);

/// An entry that has two values, and the number of the assignment with the second.
struct RepeatedEntry {
  EntryIndices indices;
  std::size_t second = 0;
};
std::optional<RepeatedEntry> first_repeated_entry(std::span<const Assignment> assignments, SymbolId target,
                                                  const std::vector<std::int64_t>& shape,
                                                  const ParameterMap& parameters);

/// "x", or "x[2,3]".
std::string entry_text(const std::string& name, const EntryIndices& indices);

}  // namespace cotangent
