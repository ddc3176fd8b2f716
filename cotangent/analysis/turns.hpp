#pragma once

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// How often a signal turns back by a noticeable part, a twentieth, of its range. What turns but a few times has not
/// shown yet what it does in the long run. Turns inside a bin are counted as two at most.
int count_turns(const Series& series);

/// The number of bins that `count` turns take, by the first ones (up to `count`) that y makes, and the way to the first
/// of them unless that is much longer: then y does not wait for its turns. 0 if it never turns. Turns are by a tenth of
/// the range up to then, so that those of a signal that grows are seen from the beginning, as soon as that range is
/// larger than `level`.
std::size_t bins_of_turns(std::span<const SeriesBin> bins, int count, double level);

}  // namespace cotangent
