#pragma once

#include <limits>

#include "cotangent/analysis/growth.hpp"
#include "cotangent/analysis/levels.hpp"
#include "cotangent/analysis/series.hpp"

namespace cotangent {

struct GrowthOptions {
  Levels levels = {};                                     ///< rounding levels of y
  double most = std::numeric_limits<double>::infinity();  ///< |y| cannot become larger, as errors of solutions
  bool from_first = false;                                ///< y is measured from its first value, not from 0
};

/// Fits lines to log max |y| over log t, one point for each octave [t/2, t]: t^k looks the same at all scales. k is the
/// slope of the later half of at most six octaves. Its error has two parts: how far the slope of all of them moves
/// where one is left out (jackknife [efron-stein81]), and how far it is from k, as a law that has not been reached yet
/// shows in a slope that changes. Octaves that rounding errors may have made, or in which y is more than half of what
/// it can become, are left out with those beyond them.
Growth fit_growth(const Series& series, const GrowthOptions& options = {});

}  // namespace cotangent
