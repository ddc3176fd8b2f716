#include "cotangent/analysis/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cotangent/analysis/envelope.hpp"
#include "cotangent/analysis/growth.hpp"
#include "cotangent/analysis/motions.hpp"
#include "cotangent/analysis/turns.hpp"

namespace cotangent {
namespace {

constexpr int kFewestPoints = 32;
constexpr double kSettled = 10;
constexpr double kDecayed = 5;
constexpr double kNoticeable = 0.02;
constexpr double kFar = 3;             // a mean that moves by more oscillations than this is not where it was
constexpr double kLargestPower = 3.5;  // errors of methods grow with powers up to 3

// Means that overlap by half are not independent: this times the error of independent ones.
constexpr double kOverlap = 1.15;

struct Settled {
  double time = 0, at = 0, range = 0;
};

// How far the last quarter of a run is from where the third was, and the range of either.
struct LateMove {
  double by = 0, range = 0, last = 0;

  explicit LateMove(std::span<const SeriesBin> bins) {
    const std::size_t quarter = bins.size() / 4;
    SeriesBin third, fourth;
    for (const SeriesBin& bin : bins.last(2 * quarter).first(quarter)) third.add(bin);
    for (const SeriesBin& bin : bins.last(quarter)) fourth.add(bin);
    by = fourth.mean - third.mean;
    range = std::max(third.max - third.min, fourth.max - fourth.min);
    last = fourth.mean;
  }
};

// Whether that is back, by more than half of the range and a noticeable part of the way: what does that has not come to
// its end.
bool goes_back(std::span<const SeriesBin> bins, double direction) {
  const LateMove late(bins);
  const double back = direction > 0 ? -late.by : late.by;
  return back > kNoticeable * std::abs(late.last) && back > 0.5 * late.range;
}

// Whether a mean has gone further than it oscillates, and still goes.
bool is_away(std::span<const SeriesBin> bins, const Motions& all) {
  const LateMove late(bins);
  return std::abs(all.line.b) > kFar * all.oscillation && std::abs(late.by) > 0.25 * late.range;
}

// Whether y has gone from its first value to another one and stays there: the second half of the run is far from y(0)
// compared with how far it extends. Then where it is, and the time in which 1 - 1/e of the way were covered; otherwise
// that time is 0.
Settled settle(std::span<const SeriesBin> bins) {
  SeriesBin late;
  for (const SeriesBin& bin : bins.last(bins.size() / 2)) late.add(bin);
  if (!(std::abs(late.mean) > kSettled * std::max(late.max - late.mean, late.mean - late.min))) return {};
  if (goes_back(bins, late.mean)) return {};
  for (const SeriesBin& bin : bins) {
    if (std::abs(bin.mean) > (1 - std::exp(-1.)) * std::abs(late.mean))
      return {.time = bin.t_mean - bins.front().t_first, .at = late.mean, .range = late.max - late.min};
  }
  return {};
}

std::string describe(const TrendVerdict& verdict, const Motions& all) {
  const std::string mean = fmt::format("the mean moves by {:.2g} ± {:.1g} over the run (slope {:.2g} ± {:.1g})",
                                       verdict.move, verdict.move_error, verdict.slope, verdict.slope_error);
  const std::string about =
      fmt::format("oscillation {:.2g}, largest deviation {:.2g}", verdict.oscillation, verdict.largest);
  const std::string walk =
      verdict.walk > 0 ? fmt::format("; below it a random walk of {:.2g} over the run", verdict.walk) : "";
  const std::string stop =
      verdict.saturated_from ? fmt::format("; growth stopped at t = {:.3g}", *verdict.saturated_from) : "";
  switch (verdict.trend) {
    case Trend::random_walk:
      return fmt::format("increments forget each other, a walk of {:.2g} over the run; {}; {}", verdict.walk, mean,
                         about);
    case Trend::decaying:
      if (verdict.rate == 0)
        return fmt::format("the oscillation falls from {:.2g} to {:.2g}; {}; {}", all.first_amplitude,
                           all.last_amplitude, mean, about);
      return fmt::format("goes to a limit at the rate {:.2g}; {}; {}", verdict.rate, mean, about);
    case Trend::exponential:
      return fmt::format("grows at the rate {:.3g}; {}{}", verdict.rate, about, stop);
    case Trend::linear:
    case Trend::quadratic:
    case Trend::cubic:
      if (all.amplitude_decides()) {
        return fmt::format("the oscillation grows from {:.2g} to {:.2g} as t^{:.2f}; {}{}", all.first_amplitude,
                           all.last_amplitude, verdict.power, about, stop);
      }
      return fmt::format("{}, as t^{:.2f}; {}{}", mean, verdict.power, about, stop);
    default:
      return fmt::format("{}; {}{}{}", mean, about, walk, stop);
  }
}

// The verdict on a series that is long enough and leaves the rounding level.
TrendVerdict judge(const Series& series, const TrendOptions& options, double reference, double largest) {
  const std::span<const SeriesBin> bins = series.bins();
  const Motions all(bins, options.level);
  const Growth growth = fit_growth(series, {.level = options.level, .reference = options.reference});
  const ExponentialGrowth exponential = find_exponential(bins, reference, options.level);

  // What happens from t on; all that happens, if there is too little of that.
  const auto trend_from = [&](double t) {
    const auto first = std::find_if(bins.begin(), bins.end(),
                                    [&](const SeriesBin& bin) { return bin.t_last - series.first_time() >= t; });
    const std::span<const SeriesBin> rest(first, bins.end());
    return rest.size() < kFewestPoints ? all.trend() : Motions(rest, options.level).trend();
  };

  TrendVerdict verdict;
  verdict.largest = largest;
  verdict.oscillation = all.oscillation;
  verdict.oscillation_growth = all.amplitude.seen();
  verdict.walk = all.walk.is_walk ? all.walk.distance : 0;
  verdict.trend = all.trend();
  // An envelope that looks exponential is believed unless the means follow a power, or what follows its end still
  // grows.
  const bool is_power = verdict.trend > Trend::random_walk && verdict.trend < Trend::exponential;
  const bool is_exponential = exponential.is_saturated ? trend_from(exponential.saturated_from) <= Trend::random_walk
                                                       : !(is_power && all.deciding().power < kLargestPower);
  if (exponential.is_found && is_exponential) {
    verdict.trend = Trend::exponential;
    verdict.rate = exponential.rate;
    if (exponential.is_saturated) verdict.saturated_from = exponential.saturated_from;
  } else if (verdict.trend > Trend::random_walk) {
    const bool has_stopped =
        growth.saturated && growth.exponent > 0.5 && growth.error < 0.5 && growth.saturated_from < 0.4 * all.duration;
    if (has_stopped) {
      verdict.trend = trend_from(growth.saturated_from);
      verdict.saturated_from = growth.saturated_from;
    }
    (verdict.trend == Trend::exponential ? verdict.rate : verdict.power) =
        verdict.trend == Trend::exponential ? all.deciding().rate : all.deciding().power;
  }
  const Settled settled = verdict.trend <= Trend::random_walk ? settle(bins) : Settled{};
  verdict.is_settled = settled.time > 0;
  if (verdict.trend <= Trend::random_walk) {
    if (settled.time > 0) {
      verdict.trend = Trend::decaying;
      verdict.rate = -1 / settled.time;
    } else if (verdict.trend == Trend::decaying) {
      verdict.rate = all.deciding().rate;
    }
  }

  const bool is_motion = verdict.trend > Trend::random_walk || verdict.trend == Trend::decaying;
  const Law& law = is_motion ? all.mean : all.line;
  // Before its first point a decay is not known.
  verdict.move = verdict.is_settled ? settled.at : verdict.trend == Trend::decaying ? law.seen() : law.b;
  verdict.move_error = verdict.is_settled ? settled.range : all.walk.is_walk ? all.walk.distance : kOverlap * law.error;
  verdict.slope = all.line.b / all.duration;
  verdict.slope_error = (all.walk.is_walk ? all.walk.distance : kOverlap * all.line.error) / all.duration;
  verdict.evidence = describe(verdict, all);
  // Less than a period of something slow, or a drift that is not clear yet.
  if (verdict.trend == Trend::bounded && is_away(bins, all)) {
    verdict.trend = Trend::unknown;
    verdict.evidence += "; it has gone further than it oscillates, and by no law: the run is too short to say more";
  }
  return verdict;
}

// What is said of the long run must have been seen more than a few times. A decay that is over, in a run of so many
// times the time that it takes and with nothing left at its end, needs no turns.
bool needs_turns(const TrendVerdict& verdict, double duration) {
  if (verdict.trend == Trend::decaying) return !(verdict.is_settled && -verdict.rate * duration > kDecayed);
  return verdict.trend == Trend::bounded || verdict.trend == Trend::random_walk;
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
  if (!series.empty()) {
    const double reference = options.reference ? *options.reference - series.first_value() : 0;
    const double largest = running_maximum(series.bins(), reference).back();
    const double duration = series.last_time() - series.first_time();
    if (largest <= options.level && series.size() > 1) {
      verdict.trend = Trend::rounding;
      verdict.evidence = fmt::format("never more than {:.2g} from its reference, the rounding level is {:.2g}", largest,
                                     options.level);
    } else if (series.size() < kFewestPoints || duration < options.shortest) {
      verdict.evidence = fmt::format("{} points in a time of {:.3g} are too few to tell", series.size(), duration);
    } else {
      verdict = judge(series, options, reference, largest);
      verdict.turns = count_turns(series);
      if (needs_turns(verdict, duration) && verdict.turns < options.fewest_turns) {
        verdict.trend = Trend::unknown;
        verdict.evidence += "; the run is too short to say more";
      }
    }
    verdict.largest = largest;
  }
  verdict.finite = series.not_finite() == 0;
  if (!verdict.finite) {
    verdict.evidence +=
        fmt::format("{}not finite from t = {:.3g} on", verdict.evidence.empty() ? "" : "; ", series.first_not_finite());
  }
  return verdict;
}

}  // namespace cotangent
