#include "cotangent/analysis/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cotangent/analysis/envelope.hpp"
#include "cotangent/analysis/growth.hpp"
#include "cotangent/analysis/laws.hpp"
#include "cotangent/analysis/walk.hpp"
#include "cotangent/analysis/windows.hpp"

namespace cotangent {
namespace {

constexpr int kFewestPoints = 32;
constexpr int kWindows = 16;

// A motion of the mean is one if it is so many times the scatter of means about its law; see docs/certificate.md.
constexpr double kSignificant = 20;
// Or so many times the distance that a random walk covers, where that is what the means scatter by.
constexpr double kBeyondWalk = 5;
// A motion smaller than this times the oscillation is not a trend, however significant.
constexpr double kNegligible = 1e-3;
// An oscillation grows if its amplitude becomes so many times as large, and the motion is so many times the scatter.
constexpr double kAmplitudeGrows = 3, kAmplitudeSignificant = 8;

// Motion that slows down to this of its first speed is decay.
constexpr double kSlowsDown = 0.25;
// A walk is what happens if it covers so many times the oscillation in the run.
constexpr double kWalkDominates = 5;
constexpr double kSettled = 10;

// Means that overlap by half are not independent: this times the error of independent ones.
constexpr double kOverlap = 1.15;

// The law that describes y best. Exponentials are preferred where they are clearly better, and not nearly lines.
Law best_law(std::span<const double> t, std::span<const double> y, double end) {
  const Law power = fit_power(t, y, end), exponential = fit_exponential(t, y, end);
  const bool is_curved = exponential.rate * end > 2.5 || exponential.steepness < kSlowsDown;
  return is_curved && exponential.scatter < 0.6 * power.scatter ? exponential : power;
}

Trend trend_of_power(double k) { return k < 1.5 ? Trend::linear : k < 2.5 ? Trend::quadratic : Trend::cubic; }

Trend trend_of(const Law& law) {
  if (law.steepness < kSlowsDown) return Trend::decaying;
  if (law.is_exponential) return Trend::exponential;
  return trend_of_power(law.power);
}

// Motions of the mean and of the amplitude, in some part of the run.
class Motions {
 public:
  Motions(std::span<const SeriesBin> bins, double level);

  Trend trend() const;

  Law mean, line, amplitude;
  Walk walk;
  double duration = 0;
  double inner = 0;        // amplitude inside windows
  double oscillation = 0;  // and with the scatter of means

  // The law that decides, where one does.
  const Law& deciding() const { return amplitude_decides() ? amplitude : mean; }
  bool mean_moves() const;

 private:
  bool amplitude_grows() const;
  bool amplitude_falls() const;
  bool amplitude_decides() const;

  double level_;
  double walk_about_law_ = 0;
};

Motions::Motions(std::span<const SeriesBin> bins, double level)
    : duration(bins.back().t_last - bins.front().t_first), level_(level) {
  std::vector<double> t, means, amplitudes;
  double squares = 0;
  const int count = std::min(kWindows, static_cast<int>(bins.size() / 4));
  for (const Window& window : windows(bins, count)) {
    t.push_back(window.t);
    means.push_back(window.mean);
    amplitudes.push_back(window.amplitude);
    squares += window.amplitude * window.amplitude / count;
  }
  mean = best_law(t, means, duration);
  line = fit_power(t, means, duration, 1);
  amplitude = best_law(t, amplitudes, duration);
  walk = find_walk(bins);
  if (walk.is_walk) {
    // A curved motion is not to be counted as part of the walk about it.
    std::vector<SeriesBin> rest(bins.begin(), bins.end());
    for (SeriesBin& bin : rest) bin.mean -= mean(bin.t_mean - bins.front().t_first);
    walk_about_law_ = find_walk(rest).distance;
  }
  inner = std::sqrt(squares);
  oscillation = std::sqrt(squares + 2 * mean.scatter * mean.scatter);
}

bool Motions::mean_moves() const {
  const double move = std::abs(mean.seen());
  if (move <= kNegligible * oscillation || move <= level_) return false;
  return move > kSignificant * mean.scatter * std::sqrt(std::max(1., oscillation / move)) &&
         move > kBeyondWalk * walk_about_law_;
}

bool Motions::amplitude_grows() const {
  return amplitude.last > level_ && amplitude.last > kAmplitudeGrows * amplitude.first && amplitude.seen() > kAmplitudeSignificant * amplitude.scatter &&
         amplitude.steepness > kSlowsDown;
}

bool Motions::amplitude_falls() const {
  return amplitude.first > kAmplitudeGrows * amplitude.last && -amplitude.seen() > kAmplitudeSignificant * amplitude.scatter;
}

bool Motions::amplitude_decides() const {
  if (mean_moves()) return amplitude_grows() && amplitude.seen() > std::abs(mean.seen());
  return amplitude_grows() || amplitude_falls();
}

Trend Motions::trend() const {
  if (mean_moves() || amplitude_grows()) return trend_of(deciding());
  if (walk.is_walk && walk.distance >= kWalkDominates * inner) return Trend::random_walk;
  return amplitude_falls() ? Trend::decaying : Trend::bounded;
}

// Whether y has gone from its first value to another one and stays there: the second half of the run is far from y(0)
// compared with how far it extends. Then the time in which 1 - 1/e of the way were covered, otherwise 0.
double time_to_settle(std::span<const SeriesBin> bins) {
  SeriesBin late;
  for (const SeriesBin& bin : bins.last(bins.size() / 2)) late.add(bin);
  if (!(std::abs(late.mean) > kSettled * std::max(late.max - late.mean, late.mean - late.min))) return 0;
  for (const SeriesBin& bin : bins) {
    if (std::abs(bin.mean) > (1 - std::exp(-1.)) * std::abs(late.mean)) return bin.t_mean - bins.front().t_first;
  }
  return 0;
}

}  // namespace

std::string_view name(Trend trend) {
  switch (trend) {
    case Trend::unknown:
      return "unknown";
    case Trend::rounding:
      return "rounding";
    case Trend::bounded:
      return "bounded";
    case Trend::decaying:
      return "decaying";
    case Trend::random_walk:
      return "random walk";
    case Trend::linear:
      return "linear";
    case Trend::quadratic:
      return "quadratic";
    case Trend::cubic:
      return "cubic";
    case Trend::exponential:
      return "exponential";
  }
  return "";
}

TrendVerdict classify_trend(const Series& series, const TrendOptions& options) {
  const std::span<const SeriesBin> bins = series.bins();
  TrendVerdict verdict;
  verdict.finite = series.not_finite() == 0;
  if (bins.empty()) return verdict;
  const double reference = options.reference ? *options.reference - series.first_value() : 0;
  verdict.largest = running_maximum(bins, reference).back();
  if (series.size() < kFewestPoints) {
    if (series.size() > 1 && verdict.largest <= options.level) verdict.trend = Trend::rounding;
    return verdict;
  }

  const Motions all(bins, options.level);
  verdict.oscillation = all.oscillation;
  verdict.move = all.mean.b;
  verdict.move_error = all.walk.is_walk ? all.walk.distance : kOverlap * all.mean.error;
  verdict.slope = all.line.b / all.duration;
  verdict.slope_error = (all.walk.is_walk ? all.walk.distance : kOverlap * all.line.error) / all.duration;
  verdict.oscillation_growth = all.amplitude.seen();
  verdict.walk = all.walk.is_walk ? all.walk.distance : 0;

  const ExponentialGrowth exponential = find_exponential(bins, reference, options.level);
  const Growth growth = fit_growth(series, {.level = options.level, .reference = options.reference});
  // What happens from t on, or all that happens if there is too little of that.
  const auto trend_from = [&](double t) {
    const auto first = std::find_if(bins.begin(), bins.end(), [&](const SeriesBin& bin) {
      return bin.t_last - series.first_time() >= t;
    });
    const std::span<const SeriesBin> rest(first, bins.end());
    return rest.size() < kFewestPoints ? all.trend() : Motions(rest, options.level).trend();
  };
  const bool has_stopped = growth.saturated && growth.exponent > 0.5 && growth.error < 0.5 &&
                           growth.saturated_from < 0.4 * all.duration;
  if (verdict.largest <= options.level) {
    verdict.trend = Trend::rounding;
  } else if (exponential.is_found &&
             !(exponential.is_saturated && trend_from(exponential.saturated_from) > Trend::random_walk)) {
    verdict.trend = Trend::exponential;
    verdict.rate = exponential.rate;
    if (exponential.is_saturated) verdict.saturated_from = exponential.saturated_from;
  } else {
    verdict.trend = all.trend();
    if (verdict.trend > Trend::random_walk && has_stopped) {
      verdict.trend = trend_from(growth.saturated_from);
      verdict.saturated_from = growth.saturated_from;
    }
    if (verdict.trend > Trend::random_walk || verdict.trend == Trend::decaying) verdict.rate = all.deciding().rate;
    if (verdict.trend > Trend::random_walk && verdict.trend < Trend::exponential) verdict.power = all.deciding().power;
    const double settling = time_to_settle(bins);
    if (settling > 0 && verdict.trend <= Trend::random_walk) {
      verdict.trend = Trend::decaying;
      verdict.rate = -1 / settling;
    }
  }
  verdict.evidence = fmt::format("mean moves {:.3g} +- {:.2g} k {:.2f} g {:.2f} sc {:.2g}, osc {:.3g} inner {:.3g} amp {:.3g}->{:.3g} sc {:.2g} k {:.2f} st {:.3f}, walk {} {:.3g} , exp {} g {:.2g} f {:.3g} [{:.3g} {:.3g}], growth {:.2f} +- {:.2f} sat {} {:.3g}",
    all.mean.b, all.mean.error, all.mean.power, all.mean.rate*all.duration, all.mean.scatter, all.oscillation, all.inner, all.amplitude.a, all.amplitude.a+all.amplitude.b, all.amplitude.scatter, all.amplitude.power, all.amplitude.steepness, all.walk.is_walk, all.walk.distance, exponential.is_found, exponential.rate*all.duration, exponential.factor, exponential.from/all.duration, exponential.until/all.duration, growth.exponent,growth.error,growth.saturated,growth.saturated_from/all.duration);
  return verdict;
}

}  // namespace cotangent
