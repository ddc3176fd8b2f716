#include "cotangent/analysis/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cotangent/analysis/envelope.hpp"
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

// Means that overlap by half are not independent: this times the error of independent ones.
constexpr double kOverlap = 1.15;

// The law that describes y best. Exponentials are preferred where they are clearly better, and not nearly lines.
Law best_law(std::span<const double> t, std::span<const double> y, double end) {
  const Law power = fit_power(t, y, end), exponential = fit_exponential(t, y, end);
  const bool is_curved = exponential.rate * end > 2.5 || exponential.steepness < 0.25;
  return is_curved && exponential.scatter < 0.6 * power.scatter ? exponential : power;
}

Trend trend_of(const Law& law) {
  if (law.steepness < 0.25) return Trend::decaying;
  if (law.is_exponential) return Trend::exponential;
  return law.power < 1.5 ? Trend::linear : law.power < 2.5 ? Trend::quadratic : Trend::cubic;
}

// All that is measured of a series that is long enough.
class Measurement {
 public:
  Measurement(const Series& series, const TrendOptions& options);

  TrendVerdict verdict() const;

 private:
  bool mean_moves() const;
  bool amplitude_grows() const;
  bool amplitude_falls() const;
  bool is_walk() const { return walk_.is_walk && walk_.distance >= inner_; }
  Trend trend() const;
  std::string evidence(Trend trend) const;

  double level_, end_;
  double largest_, oscillation_, inner_;  // inner: amplitude inside windows
  Law mean_, line_, amplitude_;
  Walk walk_;
  ExponentialGrowth exponential_;
};

Measurement::Measurement(const Series& series, const TrendOptions& options)
    : level_(options.level), end_(series.last_time() - series.first_time()) {
  const std::span<const SeriesBin> bins = series.bins();
  const double reference = options.reference ? *options.reference - series.first_value() : 0;
  largest_ = running_maximum(bins, reference).back();
  exponential_ = find_exponential(bins, reference, level_);
  walk_ = find_walk(bins);

  std::vector<double> t, mean, amplitude;
  double squares = 0;
  const int count = std::min(kWindows, static_cast<int>(bins.size() / 4));
  for (const Window& window : windows(bins, count)) {
    t.push_back(window.t);
    mean.push_back(window.mean);
    amplitude.push_back(window.amplitude);
    squares += window.amplitude * window.amplitude / count;
  }
  mean_ = best_law(t, mean, end_);
  line_ = fit_power(t, mean, end_, 1);
  amplitude_ = best_law(t, amplitude, end_);
  inner_ = std::sqrt(squares);
  oscillation_ = std::sqrt(squares + 2 * mean_.scatter * mean_.scatter);
}

bool Measurement::mean_moves() const {
  const double move = std::abs(mean_.move());
  if (move <= kNegligible * oscillation_ || move <= level_) return false;
  if (walk_.is_walk) return move > kBeyondWalk * walk_.distance;
  return move > kSignificant * mean_.scatter * std::sqrt(std::max(1., oscillation_ / move));
}

bool Measurement::amplitude_grows() const {
  const double first = std::max(0., amplitude_.a), last = amplitude_.a + amplitude_.b;
  return last > level_ && last > kAmplitudeGrows * first && amplitude_.move() > kAmplitudeSignificant * amplitude_.scatter;
}

bool Measurement::amplitude_falls() const {
  const double first = amplitude_.a, last = std::max(0., amplitude_.a + amplitude_.b);
  return first > kAmplitudeGrows * last && -amplitude_.move() > kAmplitudeSignificant * amplitude_.scatter;
}

Trend Measurement::trend() const {
  if (largest_ <= level_) return Trend::rounding;
  if (exponential_.is_found) return Trend::exponential;
  const bool moves = mean_moves(), grows = amplitude_grows();
  if (moves && !(grows && amplitude_.move() > std::abs(mean_.move()))) return trend_of(mean_);
  if (grows) return trend_of(amplitude_);
  if (is_walk()) return Trend::random_walk;
  return amplitude_falls() ? Trend::decaying : Trend::bounded;
}

std::string Measurement::evidence(Trend) const {
  return fmt::format("mean moves {:.3g} +- {:.2g} k {:.2f} g {:.2f} sc {:.2g}, osc {:.3g} inner {:.3g} amp {:.3g}->{:.3g} sc {:.2g} k {:.2f}, walk {} {:.3g} e {:.2f}, exp {} g {:.2g} f {:.3g} [{:.3g} {:.3g}]",
    mean_.b, mean_.error, mean_.power, mean_.rate*end_, mean_.scatter, oscillation_, inner_, amplitude_.a, amplitude_.a+amplitude_.b, amplitude_.scatter, amplitude_.power, walk_.is_walk, walk_.distance, walk_.exponent, exponential_.is_found, exponential_.rate*end_, exponential_.factor, exponential_.from/end_, exponential_.until/end_);
}

TrendVerdict Measurement::verdict() const {
  TrendVerdict verdict;
  verdict.trend = trend();
  verdict.largest = largest_;
  verdict.oscillation = oscillation_;
  verdict.move = mean_.move();
  verdict.move_error = walk_.is_walk ? walk_.distance : kOverlap * mean_.error;
  verdict.slope = line_.move() / end_;
  verdict.slope_error = (walk_.is_walk ? walk_.distance : kOverlap * line_.error) / end_;
  verdict.oscillation_growth = amplitude_.move();
  if (exponential_.is_found) {
    verdict.rate = exponential_.rate;
    if (exponential_.is_saturated) verdict.saturated_from = exponential_.saturated_from;
  } else if (verdict.trend == Trend::exponential || verdict.trend == Trend::decaying) {
    verdict.rate = mean_.rate;
  }
  verdict.power = mean_.is_exponential ? 0 : mean_.power;
  verdict.walk = walk_.is_walk ? walk_.distance : 0;
  verdict.evidence = evidence(verdict.trend);
  return verdict;
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
  TrendVerdict verdict;
  if (series.size() >= kFewestPoints) verdict = Measurement(series, options).verdict();
  verdict.finite = series.not_finite() == 0;
  return verdict;
}

}  // namespace cotangent
