#pragma once

#include <optional>
#include <string>

#include "cotangent/analysis/growth.hpp"
#include "cotangent/analysis/level_history.hpp"
#include "cotangent/analysis/trend.hpp"

namespace cotangent {

struct SolutionErrorOptions {
  double level = 0;        ///< Errors up to this are those of rounding.
  LevelHistory size = {};  ///< of the solution, the largest so far, in units of
  double size_unit = 1;    ///< this; where nothing is known of it nothing is lost.
  /// Neighbours are known to separate exponentially.
  bool is_chaotic = false;
};

/// What the error of a solution does.
struct SolutionError {
  Trend trend = Trend::unknown;
  Growth growth;
  /// Since when it has been as large as the solution, and is known no better than that.
  std::optional<double> lost_at;
  bool has_fallen = false;  ///< It has become small again: the motion dies out.
  std::string evidence;     ///< one sentence
};

/// The trend of the error of a solution, |z - z_exact|, which is no signal like others: it begins with 0 and is never
/// negative, it grows, however it oscillates, with a power of t or exponentially, and it ends at the size of the
/// solution. So trend and power are the same thing,
///
///   rounding      it never leaves the rounding level
///   exponential   as classify_trend() finds it, before it is lost or after; also if it is lost in a chaotic motion.
///   Growth
///                 that ends far below the size of the solution was none of this kind, unless the motion is chaotic
///   the power     of fit_growth(): bounded below 0.6, linear below 1.5, quadratic below 2.5, cubic below 4. Where its
///                 uncertainty leaves a choice the mean or the amplitude must grow with the same power, and they never
///                 may with a smaller one: a t and b t^2 of opposite sign look like t^3 for a while. One that is
///                 bounded has a mean that does not move. Unknown otherwise, or beyond 4, as in runs that are too short
///
/// before it is lost, that is larger than half of what the solution has been so far (but at least in the first 1/32 of
/// the run, as it may begin at rest). One that is lost is never bounded: it has grown, as said, or one does not know
/// how. What it does after it is lost says nothing: where that was before the fit of the power begins, as in a planet
/// that passes its sun with a step that is too long, the trend is unknown, and the evidence tells when. Of an error
/// that has died out, as that of a motion with friction, the trend is that of any signal.
SolutionError judge_solution_error(const Series& error, const SolutionErrorOptions& options = {});

}  // namespace cotangent
