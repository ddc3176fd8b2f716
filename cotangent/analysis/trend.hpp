#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

enum class Trend {
  unknown,      ///< too few points
  rounding,     ///< stays at the rounding level
  bounded,      ///< oscillates, periodically or not, and goes nowhere
  decaying,     ///< moves to a limit, ever slower: dissipation
  random_walk,  ///< increments of either sign that do not remember each other: grows as sqrt t
  linear,
  quadratic,
  cubic,
  exponential,
};

/// "random walk" and so on.
std::string_view name(Trend trend);

struct TrendOptions {
  double level = 0;                      ///< |y - reference| up to this are rounding errors.
  std::optional<double> reference = {};  ///< What deviations are measured from; y(0) if not given. For residuals: 0.
  double shortest = 0;  ///< A run that takes less time than this, several periods of the motion, is not judged.
  int fewest_turns =
      0;  ///< Of a signal that turns less often it is not said that it is bounded, still decays or walks.
};

/// A trend and what it is concluded from.
struct TrendVerdict {
  Trend trend = Trend::unknown;
  std::string evidence;  ///< one sentence with the numbers that decided

  bool finite = true;      ///< No value was NaN or infinite; otherwise the trend is that of the finite ones.
  double largest = 0;      ///< max |y - reference|
  double oscillation = 0;  ///< amplitude of what is left without the motion of the mean: sqrt 2 times its rms
  double move = 0;  ///< motion of the mean over the run: of the law that fits best where it moves, else of a line;
                    ///< of a decay as far as it was seen
  double move_error = 0;  ///< its standard error, from the scatter of means about the law
  double slope = 0;       ///< of a line through the means, per unit of t
  double slope_error = 0;
  double oscillation_growth = 0;  ///< change of the amplitude of the oscillation over the run
  double power = 0;               ///< k of the law a + b t^k, of a power
  double rate = 0;                ///< of exponential growth, or (negative) of decay, per unit of t; 0 otherwise
  double walk = 0;                ///< rms distance that a random walk as seen here covers in the run; 0 if none is seen
  int turns = 0;                  ///< how often the signal goes back, see turns.hpp
  bool is_settled = false;        ///< goes from y(0) to another value and stays there
  std::optional<double> saturated_from;  ///< time since which growth has ended, where it has

  /// Whether y stays near its reference: rounding, bounded.
  bool is_bounded() const { return trend == Trend::rounding || trend == Trend::bounded; }
  /// Whether it would leave any bound if the run went on.
  bool grows() const { return trend >= Trend::random_walk; }
};

/// Tells what y(t) does in the long run:
///
///   rounding      max |y - reference| <= level
///   exponential   the envelope grows so over orders of magnitude (envelope.hpp), whether it is saturated or not
///   linear, quadratic, cubic, exponential, decaying
///                 the law of the mean, or of the amplitude, if one of them moves (motions.hpp); powers k < 3/2, < 5/2,
///                 beyond; decaying if the motion becomes four times slower or more
///   random walk   as walk.hpp tests it, and it covers five times the oscillation or more
///   decaying      also if the second half of the run is ten times as far from y(0) as it extends, or if the
///   oscillation
///                 becomes three times as small
///   bounded       otherwise
///
/// Growth as a power that stops early is judged by what follows it: the error of a solution that has become as large as
/// the solution is bounded. docs/certificate.md has the reasons, and what can go wrong.
TrendVerdict classify_trend(const Series& series, const TrendOptions& options = {});

}  // namespace cotangent
