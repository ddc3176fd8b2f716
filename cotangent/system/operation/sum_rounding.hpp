#pragma once

#include <cstdint>
#include <vector>

#include "cotangent/base/index_map.hpp"
#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// By how many units of epsilon, times the sum of the magnitudes of its terms, a sum is wrong that a kernel adds up, if
/// each term is right to one: the terms k = 0 .. count-1 are added where `at` says.
///
/// In a fixed place every partial sum takes its share, count / kPartialSums, one term after the other; in a place that
/// a list names again and again there is one sum. Each addition errs by at most half a unit of what there is so far,
/// and errors of either sign come to the root of their number. Few terms bring more than that themselves.
double sum_rounding(const IndexMap& at, std::int64_t count);

/// The same for every row of g, with the sums inside.
std::vector<double> row_sum_rounding(const Elements& elements);

}  // namespace cotangent
