#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// The places of the entries of an array of a model, a coordinate or state, in the order in which they are written:
/// the last index runs fastest, as in nested lists.
std::vector<std::int64_t> entries_in_reading_order(const std::vector<std::int64_t>& shape, std::int64_t offset);

/// The shape of the nested lists that named rows are written as: empty for a single number; one extent for each loop
/// where the loops fill a box, one for all of them where they do not (i < j, pairs); and the components of a vector
/// last. The rows come in the order of the lists.
/// @param values the rows as the model states them.
std::vector<std::int64_t> list_shape(const NamedValues& values, const NamedRows& rows);

}  // namespace cotangent
