#include "cotangent/analysis/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cotangent/analysis/envelope.hpp"

namespace cotangent {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestParts = 5;
constexpr std::size_t kFewestBins = 4;  // in the first part: fewer see too little of an oscillation

// E_j, from early to late, of the first `end` bins.
std::vector<EnvelopePoint> envelope_of(std::span<const SeriesBin> bins, std::size_t end, double reference, double level) {
  std::vector<EnvelopePoint> result;
  const double start = bins.front().t_first;
  double right = static_cast<double>(end);
  while (right >= 4 * kFewestBins) {
    const double left = right / std::numbers::sqrt2;
    const auto first = static_cast<std::size_t>(std::lround(left)), last = static_cast<std::size_t>(std::lround(right));
    const double value = running_maximum(bins.subspan(first, last - first), reference).back();
    if (!(value > level)) break;  // what is earlier is rounding
    result.push_back({.t = bins[last - 1].t_last - start, .value = value});
    right = left;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

struct PowerLaw {
  double exponent = 0, log_factor = 0, offset = 0, squares = 0;
};

// ln E = ln c + k ln t, without the point `left_out`.
PowerLaw fit_pure(std::span<const EnvelopePoint> points, std::size_t left_out) {
  double n = 0, x_mean = 0, y_mean = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    n += 1;
    x_mean += std::log(points[i].t);
    y_mean += std::log(points[i].value);
  }
  x_mean /= n;
  y_mean /= n;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    const double x = std::log(points[i].t) - x_mean, y = std::log(points[i].value) - y_mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double k = xy / xx;
  return {.exponent = k, .log_factor = y_mean - k * x_mean, .offset = 0, .squares = std::max(0., yy - k * xy)};
}

// ln(E - A) is fitted instead, for the A that makes the residuals of ln E least.
PowerLaw fit_with_offset(std::span<const EnvelopePoint> points, std::size_t left_out) {
  PowerLaw best = fit_pure(points, left_out);
  double least = std::numeric_limits<double>::infinity();
  for (const EnvelopePoint& point : points) least = std::min(least, point.value);
  constexpr int kTrials = 64;
  std::vector<EnvelopePoint> above(points.begin(), points.end());
  for (int trial = 1; trial < kTrials; ++trial) {
    const double offset = least * trial / kTrials;
    for (std::size_t i = 0; i < points.size(); ++i) above[i].value = points[i].value - offset;
    PowerLaw law = fit_pure(above, left_out);
    law.offset = offset;
    law.squares = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == left_out) continue;
      const double fitted = offset + std::exp(law.log_factor + law.exponent * std::log(points[i].t));
      law.squares += std::pow(std::log(points[i].value / fitted), 2);
    }
    if (law.squares < best.squares) best = law;
  }
  return best;
}

Growth fit(std::vector<EnvelopePoint> points) {
  Growth growth;
  growth.exponent = growth.error = kUnknown;
  if (points.size() >= kFewestParts) {
    const std::size_t n = points.size();
    const PowerLaw pure = fit_pure(points, n), raised = fit_with_offset(points, n);
    // The offset must make the residuals much smaller, and must be seen: growth must leave it behind.
    const bool is_raised = raised.squares < 0.25 * pure.squares && points.back().value > 3 * raised.offset;
    const auto fit_one = is_raised ? fit_with_offset : fit_pure;
    const PowerLaw& law = is_raised ? raised : pure;
    growth.exponent = law.exponent;
    growth.factor = std::exp(law.log_factor);
    growth.offset = law.offset;
    growth.from = points.front().t / std::numbers::sqrt2;
    growth.until = points.back().t;

    double jackknife = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = fit_one(points, i).exponent - law.exponent;
      jackknife += difference * difference * static_cast<double>(n - 1) / static_cast<double>(n);
    }
    double halves = 0;
    if (!is_raised && n / 2 >= 3) {
      const std::span<const EnvelopePoint> all(points);
      halves = (fit_pure(all.last(n / 2), n).exponent - fit_pure(all.first(n / 2), n).exponent) / 2;
    }
    growth.error = std::sqrt(jackknife + halves * halves);
  }
  growth.envelope = std::move(points);
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
  return growth;
}

}  // namespace cotangent
