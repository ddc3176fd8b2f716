#include "cotangent/analysis/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cotangent/analysis/envelope.hpp"
#include "cotangent/analysis/turns.hpp"

namespace cotangent {
namespace {

constexpr double kNoPower = 5.5;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestParts = 5;
constexpr std::size_t kFewestBins = 4;   // in the first part: fewer see too little of an oscillation
constexpr int kTurns = 8;                // after so many the law is that of the long run
constexpr double kShortest = 2;          // times of the last and the first point
constexpr double kLargestScatter = 0.5;  // of ln E

struct Envelope {
  std::vector<EnvelopePoint> points;  // E_j, from early to late
  double independent = 1;             // part of them, where they overlap
};

// Of the first `end` bins.
Envelope envelope_of(std::span<const SeriesBin> bins, std::size_t end, double reference, double level) {
  Envelope result;
  const double start = bins.front().t_first;
  double right = static_cast<double>(end);
  const std::size_t turned = bins_of_turns(bins.first(end), kTurns, level);
  const double first_right = static_cast<double>(std::max(4 * kFewestBins, turned));
  if (turned > 0 && right < kShortest * first_right) return result;
  const double ratio = std::min(std::numbers::sqrt2,
                                turned > 0 ? std::pow(right / first_right, 1. / kFewestParts) : std::numbers::sqrt2);
  result.independent = std::log(ratio) / std::log(std::numbers::sqrt2);
  while (right >= 0.999 * first_right) {
    const double left = right / std::numbers::sqrt2;
    const auto first = static_cast<std::size_t>(std::lround(left)), last = static_cast<std::size_t>(std::lround(right));
    const double value = running_maximum(bins.subspan(first, last - first), reference).back();
    if (!(value > level)) break;  // what is earlier is rounding
    result.points.push_back({.t = bins[last - 1].t_last - start, .value = value});
    right /= ratio;
  }
  std::reverse(result.points.begin(), result.points.end());
  return result;
}

Growth fit(Envelope envelope) {
  Growth growth;
  growth.exponent = growth.error = kUnknown;
  if (envelope.points.size() >= kFewestParts) {
    const PowerFit power = fit_powers(envelope.points, envelope.independent);
    growth.from = envelope.points.front().t / std::numbers::sqrt2;
    growth.until = envelope.points.back().t;
    if (power.scatter <= kLargestScatter) {
      growth.exponent = power.exponent;
      growth.error = power.error;
    }
  }
  growth.envelope = std::move(envelope.points);
  return growth;
}

}  // namespace

Growth fit_growth(const Series& series, const GrowthOptions& options) {
  const std::span<const SeriesBin> bins = series.bins();
  const double reference = options.reference ? *options.reference - series.first_value() : 0;
  if (bins.empty()) return fit({});
  const std::vector<double> running = running_maximum(bins, reference);
  const double largest = running.back(), end = series.last_time() - series.first_time();

  const std::size_t reached = first_reaching(running, 0.7 * largest);
  const double t_reached = bins[reached].t_last - bins.front().t_first;
  Growth growth = fit(envelope_of(bins, reached + 1, reference, options.level));
  const bool stops = growth.is_known() && std::pow(end / t_reached, growth.exponent) > 3 / 0.7;
  if (!stops) growth = fit(envelope_of(bins, bins.size(), reference, options.level));
  growth.saturated = stops || (growth.is_known() && std::abs(growth.exponent) < 0.2 && t_reached < 0.5 * end);
  growth.saturated_from = growth.saturated ? t_reached : 0;
  growth.largest = largest;
  growth.at_level = largest <= options.level;
  // The end of the powers that are tried: whatever grows like that, it is not as a power.
  if (growth.exponent > kNoPower) growth.exponent = growth.error = std::numeric_limits<double>::quiet_NaN();
  return growth;
}

}  // namespace cotangent
