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
  double level = 0;                 ///< |y - reference| up to this are rounding errors.
  std::optional<double> reference = {};  ///< What deviations are measured from; y(0) if not given. For residuals: 0.
};

/// A trend and what it is concluded from.
struct TrendVerdict {
  Trend trend = Trend::unknown;
  std::string evidence;  ///< one sentence with the numbers that decided

  bool finite = true;          ///< No value was NaN or infinite; otherwise the trend is that of the finite ones.
  double largest = 0;          ///< max |y - reference|
  double oscillation = 0;      ///< amplitude of what is left without the motion of the mean: sqrt 2 times its rms
  double move = 0;             ///< motion of the mean over the run, of the law that fits best
  double move_error = 0;       ///< its standard error, from the scatter of means about the law
  double slope = 0;            ///< of a line through the means, per unit of t
  double slope_error = 0;
  double oscillation_growth = 0;  ///< change of the amplitude of the oscillation over the run
  double power = 0;            ///< k of the law a + b t^k that fits best, if that was asked for
  double rate = 0;             ///< of exponential growth, or (negative) of decay, per unit of t; 0 otherwise
  double walk = 0;             ///< rms distance that a random walk as seen here covers in the run; 0 if none is seen
  std::optional<double> saturated_from;  ///< time since which exponential growth has ended

  /// Whether y stays near its reference: rounding, bounded.
  bool is_bounded() const { return trend == Trend::rounding || trend == Trend::bounded; }
  /// Whether it would leave any bound if the run went on.
  bool grows() const { return trend >= Trend::random_walk; }
};

/// Tells what y(t) does in the long run. See docs/certificate.md for the reasons.
TrendVerdict classify_trend(const Series& series, const TrendOptions& options = {});

}  // namespace cotangent
