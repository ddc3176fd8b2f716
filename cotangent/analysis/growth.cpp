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
constexpr double kNotReached = 0.25;     // change of k
constexpr double kLargestScatter = 0.5;  // of ln E

// E_j, from early to late, of the first `end` bins.
std::vector<EnvelopePoint> envelope_of(std::span<const SeriesBin> bins, std::size_t end, double reference,
                                       double level) {
  std::vector<EnvelopePoint> result;
  const double start = bins.front().t_first;
  double right = static_cast<double>(end);
  const std::size_t turned = bins_of_turns(bins.first(end), kTurns, level);
  const double first_right = static_cast<double>(std::max(4 * kFewestBins, turned));
  if (turned > 0 && right < kShortest * first_right) return result;
  const double ratio = std::min(std::numbers::sqrt2,
                                turned > 0 ? std::pow(right / first_right, 1. / kFewestParts) : std::numbers::sqrt2);
  while (right >= 0.999 * first_right) {
    const double left = right / std::numbers::sqrt2;
    const auto first = static_cast<std::size_t>(std::lround(left)), last = static_cast<std::size_t>(std::lround(right));
    const double value = running_maximum(bins.subspan(first, last - first), reference).back();
    if (!(value > level)) break;  // what is earlier is rounding
    result.push_back({.t = bins[last - 1].t_last - start, .value = value});
    right /= ratio;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

struct PowerLaw {
  double exponent = 0, factor = 0, offset = 0;
  double squares = std::numeric_limits<double>::infinity();  // of relative deviations

  double scatter(std::span<const EnvelopePoint> points) const {
    double sum = 0;
    for (const EnvelopePoint& point : points)
      sum += std::pow(std::log((offset + factor * std::pow(point.t, exponent)) / point.value), 2);
    return std::sqrt(sum / static_cast<double>(points.size()));
  }
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
  return {.exponent = k, .factor = std::exp(y_mean - k * x_mean), .offset = 0, .squares = std::max(0., yy - k * xy)};
}

// 1 = (A + c t^k)/E, A >= 0, for one k.
PowerLaw fit_raised(std::span<const EnvelopePoint> points, std::size_t left_out, double k) {
  double aa = 0, af = 0, ff = 0, a1 = 0, f1 = 0, n = 0;
  const double end = points.back().t;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    const double a = 1 / points[i].value, f = std::pow(points[i].t / end, k) / points[i].value;
    aa += a * a;
    af += a * f;
    ff += f * f;
    a1 += a;
    f1 += f;
    n += 1;
  }
  const double determinant = aa * ff - af * af;
  double offset = (ff * a1 - af * f1) / determinant, factor = (aa * f1 - af * a1) / determinant;
  if (!(offset > 0)) {
    offset = 0;
    factor = f1 / ff;
  }
  return {
      .exponent = k, .factor = factor * std::pow(end, -k), .offset = offset, .squares = n - offset * a1 - factor * f1};
}

PowerLaw fit_raised(std::span<const EnvelopePoint> points, std::size_t left_out) {
  PowerLaw best;
  const auto try_powers = [&](double from, double step) {
    for (int i = 0; i <= 20; ++i) {
      const PowerLaw law = fit_raised(points, left_out, from + i * step);
      if (law.squares < best.squares && law.factor > 0) best = law;
    }
  };
  try_powers(0.25, 0.25);
  try_powers(std::max(0.2, best.exponent - 0.25), 0.025);
  try_powers(best.exponent - 0.025, 0.0025);
  return best;
}

Growth fit(std::vector<EnvelopePoint> points) {
  Growth growth;
  growth.exponent = growth.error = kUnknown;
  if (points.size() >= kFewestParts) {
    const std::size_t n = points.size();
    const PowerLaw pure = fit_pure(points, n), raised = fit_raised(points, n);
    // The offset must make deviations much smaller, and growth must leave it behind.
    const bool is_raised = std::pow(raised.scatter(points), 2) < 0.5 * std::pow(pure.scatter(points), 2) &&
                           points.back().value > 2 * raised.offset;
    const PowerLaw law = is_raised ? raised : pure;
    std::vector<EnvelopePoint> late;
    for (std::size_t i = n / 2; i < n; ++i)
      if (points[i].value > 2 * law.offset) late.push_back({points[i].t, points[i].value - law.offset});
    const double change = late.size() >= 3 ? fit_pure(late, n).exponent - law.exponent : 0;
    growth.exponent = law.exponent;
    growth.factor = law.factor;
    growth.offset = law.offset;
    growth.from = points.front().t / std::numbers::sqrt2;
    growth.until = points.back().t;

    double jackknife = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const PowerLaw other = is_raised ? fit_raised(points, i) : fit_pure(points, i);
      jackknife += std::pow(other.exponent - law.exponent, 2) * static_cast<double>(n - 1) / static_cast<double>(n);
    }
    growth.error = std::sqrt(jackknife + change * change);
    if (!is_raised && std::abs(change) > kNotReached) {
      const PowerLaw at_last = fit_pure(late, n);
      growth.exponent = at_last.exponent;
      growth.factor = at_last.factor;
      growth.from = late.front().t / std::numbers::sqrt2;
    }
    if (law.scatter(points) > kLargestScatter) growth.exponent = growth.error = kUnknown;
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
  // The end of the powers that are tried: whatever grows like that, it is not as a power.
  if (growth.exponent > kNoPower) growth.exponent = growth.error = std::numeric_limits<double>::quiet_NaN();
  return growth;
}

}  // namespace cotangent
