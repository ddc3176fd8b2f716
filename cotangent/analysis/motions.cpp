#include "cotangent/analysis/motions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cotangent/analysis/windows.hpp"

namespace cotangent {
namespace {

constexpr int kWindows = 16;
constexpr double kSignificant = 20;    // D/s
constexpr double kNegligible = 1e-3;   // D/A
constexpr double kBeyondWalk = 5;      // D/W
constexpr double kAmplitudeGrows = 3;  // last amplitude over the first
constexpr double kAmplitudeSignificant = 8;
constexpr double kRangeGrows = 1.5;  // range of the last quarter of the run over that of the first
constexpr double kControl = 0.5, kConfirmed = 0.35;
constexpr double kSlowsDown = 0.25;   // a motion whose speed falls to this of the first is decay
constexpr double kWalkDominates = 5;  // W over the amplitude inside windows

// The law that describes y best: a power, unless an exponential is clearly better and not nearly a line. Powers beyond
// those that errors grow with are believed less.
Law best_law(std::span<const double> t, std::span<const double> y, double end) {
  const Law power = fit_power(t, y, end), exponential = fit_exponential(t, y, end);
  const bool is_curved = exponential.rate * end > 2.5 || exponential.steepness < kSlowsDown;
  // What slows down goes to a limit, at some rate, unless a power describes it clearly better.
  if (power.steepness < kSlowsDown && exponential.steepness < kSlowsDown && exponential.scatter < 1.5 * power.scatter)
    return exponential;
  const double clearly = power.power > 3.5 && exponential.rate > 0 ? 0.75 : 0.4;
  return is_curved && exponential.scatter < clearly * power.scatter ? exponential : power;
}

Trend trend_of_power(double k) { return k < 1.5 ? Trend::linear : k < 2.5 ? Trend::quadratic : Trend::cubic; }

Trend trend_of(const Law& law) {
  if (law.is_exponential) return law.steepness < kSlowsDown ? Trend::decaying : Trend::exponential;
  return trend_of_power(law.power);
}

double range(std::span<const SeriesBin> bins) {
  double min = bins[0].min, max = bins[0].max;
  for (const SeriesBin& bin : bins) {
    min = std::min(min, bin.min);
    max = std::max(max, bin.max);
  }
  return max - min;
}

}  // namespace

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
  first_amplitude = amplitudes.front();
  last_amplitude = amplitudes.back();

  std::vector<double> t_control, control;
  for (const Window& window : windows(bins, 2 * count / 3)) {
    t_control.push_back(window.t);
    control.push_back(window.mean);
  }
  control_ = best_law(t_control, control, duration);
  first_range_ = range(bins.first(bins.size() / 4));
  last_range_ = range(bins.last(bins.size() / 4));
  walk = find_walk(bins);
  if (walk.is_walk) {
    // A curved motion is not to be counted as part of the walk about it.
    std::vector<SeriesBin> rest(bins.begin(), bins.end());
    for (SeriesBin& bin : rest) bin.mean -= mean(bin.t_mean - bins.front().t_first);
    if (const Walk about_law = find_walk(rest); about_law.is_walk) walk_about_law_ = about_law.distance;
  }
  inner = std::sqrt(squares);
  oscillation = std::sqrt(squares + 2 * mean.scatter * mean.scatter);
}

bool Motions::mean_moves() const {
  const double move = std::abs(mean.seen());
  if (move <= kNegligible * oscillation || move <= level_) return false;
  const double needed = kSignificant * std::sqrt(std::max(1., oscillation / move));
  const bool is_confirmed = std::abs(control_.b - mean.b) < kConfirmed * std::abs(mean.b) &&
                            std::abs(control_.seen()) > kControl * needed * control_.scatter;
  return move > needed * mean.scatter && move > kBeyondWalk * walk_about_law_ && is_confirmed;
}

bool Motions::amplitude_grows() const {
  return amplitude.last > level_ && amplitude.last > kAmplitudeGrows * amplitude.first &&
         amplitude.seen() > kAmplitudeSignificant * amplitude.scatter && amplitude.steepness > kSlowsDown &&
         last_range_ > kRangeGrows * first_range_;
}

bool Motions::amplitude_falls() const {
  return amplitude.first > kAmplitudeGrows * amplitude.last &&
         -amplitude.seen() > kAmplitudeSignificant * amplitude.scatter && first_range_ > kRangeGrows * last_range_;
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

}  // namespace cotangent
