#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cotangent {

/// An entry of an array by its indices, which count from 1; none for a scalar. Entries are stored with the first index
/// running fastest.
using EntryIndices = std::vector<std::int64_t>;

/// The number of entries of an array.
std::int64_t entry_count(std::span<const std::int64_t> shape);

/// (i_1 - 1) + N_1 ((i_2 - 1) + N_2 ...); nothing if an index is outside, or their number is wrong.
std::optional<std::size_t> place_of(std::span<const std::int64_t> indices, std::span<const std::int64_t> shape);

/// The inverse.
EntryIndices indices_at(std::int64_t place, std::span<const std::int64_t> shape);

/// "x", or "x[2,3]".
std::string entry_text(const std::string& name, const EntryIndices& indices);

}  // namespace cotangent
