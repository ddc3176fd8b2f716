#pragma once

#include <string>

#include "cotangent/analysis/growth.hpp"
#include "cotangent/analysis/trend.hpp"

namespace cotangent {

struct SolutionErrorOptions {
  double level = 0;  ///< Errors up to this are those of rounding.
  double size = 0;   ///< of the solution; 0: not known
};

/// What the error of a solution does.
struct SolutionError {
  Trend trend = Trend::unknown;
  Growth growth;
  bool is_lost = false;     ///< It has become as large as the solution, and is known no better than that.
  bool has_fallen = false;  ///< It has become small again: the motion dies out.
  std::string evidence;     ///< one sentence
};

/// The trend of the error of a solution, |z - z_exact|, which is no signal like others: it begins with 0 and is never
/// negative, it grows, however it oscillates, with a power of t or exponentially, and it ends at the size of the
/// solution. So trend and power are the same thing,
///
///   rounding      it never leaves the rounding level
///   exponential   as classify_trend() finds it, before it is lost or after
///   the power     of fit_growth(): bounded below 0.6, linear below 1.5, quadratic below 2.5, cubic below 4. Where its
///                 uncertainty leaves a choice the mean or the amplitude must grow with the same power; unknown
///                 otherwise, or beyond 4, as in runs that are too short
///
/// before it is lost, that is larger than half of the solution. One that is lost is never bounded: it has grown, as
/// said, or one does not know how. Of an error that has died out, as that of a motion with friction, the trend is that
/// of any signal.
SolutionError judge_solution_error(const Series& error, const SolutionErrorOptions& options = {});

}  // namespace cotangent
