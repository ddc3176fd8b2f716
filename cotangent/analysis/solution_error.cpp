#include "cotangent/analysis/solution_error.hpp"

#include <fmt/format.h>

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
// Errors that grow exponentially do so until they are this part of it.
constexpr double kSaturated = 0.1;
// A solution has had its size in this part of a run, however small it begins.
constexpr double kBeginning = 32;
// A mean that moves by so many standard errors, and by more than the oscillation, is not that of a bounded error.
constexpr double kMoves = 5;

Trend trend_of_power(double k) {
  return k < 0.6 ? Trend::bounded : k < 1.5 ? Trend::linear : k < 2.5 ? Trend::quadratic : Trend::cubic;
}

// The uncertainty has all of the difference between an early and a late fit, and is taken by half. Of two powers that
// are both within it the nearer one is told if the mean and the amplitude agree.
Trend trend_of_power(const Growth& growth, const TrendVerdict& means, bool is_lost) {
  const Trend of_means = means.trend;
  const Trend least = trend_of_power(growth.exponent - growth.error / 2);
  const Trend most = trend_of_power(growth.exponent + growth.error / 2);
  const bool is_drift = of_means == Trend::linear || of_means == Trend::quadratic || of_means == Trend::cubic;
  const Trend nearest = trend_of_power(growth.exponent);
  if (growth.error > kVague) return Trend::unknown;
  // The mean of what ends at the size of the solution says nothing about what was before.
  if (is_drift && of_means < nearest && !is_lost) return Trend::unknown;
  const bool moves = std::abs(means.move) > kMoves * means.move_error && std::abs(means.move) > means.oscillation;
  if (nearest == Trend::bounded && moves) return Trend::unknown;
  if (least == most || (is_drift && of_means == nearest)) return nearest;
  return Trend::unknown;
}

bool has_fallen(const Series& error) {
  const double late = error.first_time() + kLate * (error.last_time() - error.first_time());
  double last = 0;
  for (const SeriesBin& bin : error.bins())
    if (bin.t_last >= late)
      last = std::max({last, std::abs(error.first_value() + bin.min), std::abs(error.first_value() + bin.max)});
  return last < kFallen * error.largest();
}

// When the error becomes as large as the solution.
std::optional<double> lost_at(const Series& error, const SolutionErrorOptions& options) {
  const double early = error.first_time() + (error.last_time() - error.first_time()) / kBeginning;
  for (const SeriesBin& bin : error.bins()) {
    const double y = std::max(std::abs(error.first_value() + bin.min), std::abs(error.first_value() + bin.max));
    const double size = options.size.at(std::max(bin.t_last, early)) / options.size_unit;
    if (size > 0 && y >= kLost * size) return bin.t_last;
  }
  return std::nullopt;
}

}  // namespace

SolutionError judge_solution_error(const Series& error, const SolutionErrorOptions& options) {
  SolutionError result;
  const TrendVerdict trend = classify_trend(error, {.level = options.level, .reference = 0.0});
  result.trend = trend.trend;
  result.evidence = trend.evidence;
  result.growth = fit_growth(error, {.level = options.level, .reference = 0.0});
  result.lost_at = lost_at(error, options);
  result.has_fallen = has_fallen(error);
  const Growth& growth = result.growth;
  const double size = options.size.last() / options.size_unit;
  const bool ended_early = trend.saturated_from && error.largest() < kSaturated * size && !options.is_chaotic;
  const bool is_exponential = trend.trend == Trend::exponential && !ended_early;
  const bool is_power = !is_exponential && trend.trend != Trend::rounding;
  if (is_power && !result.has_fallen)
    result.trend = growth.is_known() && growth.exponent < kSteepest
                       ? trend_of_power(growth, trend, result.lost_at.has_value())
                       : Trend::unknown;
  // What has become as large as the motion has grown, and is bounded by that only.
  const bool at_once = result.lost_at && *result.lost_at - error.first_time() < growth.from;
  if (result.lost_at && (result.trend == Trend::bounded || (at_once && result.trend != Trend::exponential)))
    result.trend = Trend::unknown;
  if (result.lost_at && options.is_chaotic) result.trend = Trend::exponential;
  if (result.lost_at)
    result.evidence += fmt::format(
        "; the solution is lost at t = {:.3g}: there the error has become as large as the motion itself, and is known "
        "no better than that",
        *result.lost_at);
  return result;
}

}  // namespace cotangent
