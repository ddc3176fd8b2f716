#pragma once

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// How often a signal turns back by a noticeable part, a twentieth, of its range. What turns but a few times has not
/// shown yet what it does in the long run. Turns inside a bin are counted as two at most.
int count_turns(const Series& series);

}  // namespace cotangent
