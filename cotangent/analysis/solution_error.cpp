#include "cotangent/analysis/solution_error.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

// Errors grow with powers up to 3; a larger one is that of a short run.
constexpr double kSteepest = 4;
// A power with a larger uncertainty says nothing.
constexpr double kVague = 0.7;
// An error that is less than this part of its largest value, in the last quarter of a run, has fallen.
constexpr double kFallen = 0.3, kLate = 0.75;
// An error of this part of the solution leaves nothing of it.
constexpr double kLost = 0.5;
// One that grows no more from this part of the run on has been lost for most of it.
constexpr double kEarly = 0.4;

Trend trend_of_power(double k) {
  return k < 0.6 ? Trend::bounded : k < 1.5 ? Trend::linear : k < 2.5 ? Trend::quadratic : Trend::cubic;
}

// Between two powers that are both within the uncertainty the mean and the amplitude decide, if one of them grows.
Trend trend_of_power(const Growth& growth, Trend of_means) {
  const Trend least = trend_of_power(growth.exponent - growth.error);
  const Trend most = trend_of_power(growth.exponent + growth.error);
  const bool is_drift = of_means == Trend::linear || of_means == Trend::quadratic || of_means == Trend::cubic;
  if (is_drift && least <= of_means && of_means <= most) return of_means;
  return growth.error < kVague ? trend_of_power(growth.exponent) : is_drift ? of_means : Trend::unknown;
}

bool has_fallen(const Series& error) {
  const double late = error.first_time() + kLate * (error.last_time() - error.first_time());
  double last = 0;
  for (const SeriesBin& bin : error.bins())
    if (bin.t_last >= late)
      last = std::max({last, std::abs(error.first_value() + bin.min), std::abs(error.first_value() + bin.max)});
  return last < kFallen * error.largest();
}

}  // namespace

SolutionError judge_solution_error(const Series& error, const SolutionErrorOptions& options) {
  SolutionError result;
  const TrendVerdict trend = classify_trend(error, {.level = options.level, .reference = 0.0});
  result.trend = trend.trend;
  result.evidence = trend.evidence;
  result.growth = fit_growth(error, {.level = options.level, .reference = 0.0});
  result.is_lost = options.size > 0 && error.largest() >= kLost * options.size;
  result.has_fallen = has_fallen(error);
  const Growth& growth = result.growth;
  const bool is_power = trend.trend != Trend::exponential && trend.trend != Trend::rounding;
  const bool is_long_lost =
      result.is_lost && growth.saturated && growth.saturated_from < kEarly * (error.last_time() - error.first_time());
  if (is_power && !is_long_lost && !result.has_fallen && growth.is_known())
    result.trend = growth.exponent < kSteepest ? trend_of_power(growth, trend.trend) : Trend::unknown;
  if (result.is_lost)
    result.evidence += "; it has become as large as the motion itself, and is known no better than that";
  return result;
}

}  // namespace cotangent
