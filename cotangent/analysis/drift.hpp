#pragma once

#include <limits>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// How fast a signal that oscillates goes away.
struct Drift {
  double slope = 0;                                        ///< per unit of time, of the line through all points
  double error = std::numeric_limits<double>::infinity();  ///< the standard error of the slope
  double oscillation = 0;                                  ///< the largest max - min of a block
  bool is_settled = false;                                 ///< longer blocks do not make the error larger
};

/// Fits a line. The run is divided into M blocks of equal length, and were their means y_i independent of each other
/// the slope would have the variance
///
///   s_M^2 = sum_i r_i^2 / ((M - 2) sum_i (t_i - t)^2),   r_i = y_i - line.
///
/// Points that remember each other make s_M grow with the length of blocks, until blocks are longer than the memory
/// [flyvbjerg-petersen89]; oscillations make it fall. The error is the larger of s_32 and s_16. It is settled if
/// neither is larger than all s_M of shorter blocks, but for what chance adds, one part in sqrt(2 (M - 1)). Where it is
/// not, as with a slow beat, or a motion that has not come back yet, it may grow until one block is left, and is 4
/// s_16.
Drift measure_drift(const Series& series);

}  // namespace cotangent
