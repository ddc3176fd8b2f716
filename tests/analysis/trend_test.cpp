// What is asked for beside the verdict, and what is no signal at all.

#include "cotangent/analysis/trend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/analysis/battery.hpp"

namespace cotangent {
namespace {

TEST(Trend, OfNothing) {
  Series series;
  EXPECT_EQ(classify_trend(series).trend, Trend::unknown);
  series.add(0, 1);
  EXPECT_EQ(classify_trend(series, {.level = 1}).trend, Trend::unknown);
  series.add(1, 1);
  EXPECT_EQ(classify_trend(series).trend, Trend::rounding);
  series.add(2, 2);
  EXPECT_EQ(classify_trend(series).trend, Trend::unknown);
  EXPECT_EQ(classify_trend(series, {.level = 1}).trend, Trend::rounding);
}

TEST(Trend, OfConstants) {
  Series zero, seven;
  for (int i = 0; i < 5000; ++i) {
    zero.add(i, 0);
    seven.add(i, 7);
  }
  EXPECT_EQ(classify_trend(zero).trend, Trend::rounding);
  EXPECT_EQ(classify_trend(seven).trend, Trend::rounding);
  EXPECT_EQ(classify_trend(seven, {.reference = 0}).trend, Trend::bounded);
  EXPECT_EQ(classify_trend(seven, {.reference = 0}).largest, 7);
}

TEST(Trend, OfRounding) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Chance chance(seed);
    Series series;
    for (int i = 0; i < 3000; ++i) series.add(i, 1e-16 * std::floor(chance.uniform(-3, 4)));
    EXPECT_EQ(classify_trend(series, {.level = 1e-15}).trend, Trend::rounding);
    EXPECT_EQ(classify_trend(series, {.level = 1e-16}).trend, Trend::bounded);
  }
}

// What moves far, but follows no law well, is neither bounded nor known to be a drift.
TEST(Trend, OfWhatHasNotComeBack) {
  const auto trend_of = [](double drift, double slow) {
    Series series;
    for (int i = 0; i < 20000; ++i)
      series.add(i, drift * i / 20000 + slow * std::sin(14.5 * i / 20000) + std::sin(0.37 * i));
    return classify_trend(series, {.fewest_turns = 12}).trend;
  };
  EXPECT_EQ(trend_of(7.5, 0), Trend::linear);
  EXPECT_EQ(trend_of(7.5, 0.8), Trend::unknown);
  EXPECT_EQ(trend_of(0, 0.8), Trend::bounded);
}

TEST(Trend, OfWhatIsNotFinite) {
  Series never, at_last, jumps;
  for (int i = 0; i < 2000; ++i) {
    never.add(i, std::nan(""));
    at_last.add(i, i < 1500 ? std::exp(0.1 * i) : std::numeric_limits<double>::infinity());
    jumps.add(i, i == 700 ? std::nan("") : std::sin(i));
  }
  EXPECT_EQ(classify_trend(never).trend, Trend::unknown);
  EXPECT_FALSE(classify_trend(never).finite);
  const TrendVerdict verdict = classify_trend(at_last);
  EXPECT_EQ(verdict.trend, Trend::exponential);
  EXPECT_NEAR(verdict.rate, 0.1, 0.005);
  EXPECT_FALSE(verdict.finite);
  EXPECT_NE(verdict.evidence.find("not finite from t = 1.5e+03"), std::string::npos) << verdict.evidence;
  EXPECT_EQ(classify_trend(jumps).trend, Trend::bounded);
  EXPECT_FALSE(classify_trend(jumps).finite);
}

TEST(Trend, RunsThatAreTooShortAreNotJudged) {
  Series series;  // a tenth of a period, which looks like a parabola
  for (int i = 0; i <= 1000; ++i) series.add(0.001 * i, 1 - std::cos(0.6 * 0.001 * i));
  EXPECT_EQ(classify_trend(series).trend, Trend::quadratic);
  EXPECT_EQ(classify_trend(series, {.shortest = 30}).trend, Trend::unknown);
}

TEST(Trend, MeasuresADriftBelowAnOscillation) {
  // 10^7 points, 10^6 periods; the drift is 10^-6 of the oscillation in a period, and as large as it in the run.
  Series series;
  const double h = 0.1;
  for (int i = 0; i < 10000000; ++i) series.add(h * i, 1e-5 * std::cos(6.2831 * h * i) - 1e-11 * h * i);
  const TrendVerdict verdict = classify_trend(series, {.level = 1e-15});
  EXPECT_EQ(verdict.trend, Trend::linear) << verdict.evidence;
  EXPECT_NEAR(verdict.slope, -1e-11, 1e-14);
  EXPECT_NEAR(verdict.move, -1e-5, 1e-8);
  EXPECT_NEAR(verdict.oscillation, 1e-5, 1e-7);
  EXPECT_LT(verdict.slope_error, 1e-14);
}

TEST(Trend, TheSlopeOfNoiseIsZeroWithinItsError) {
  // The error must be honest: slopes of noise that is remembered for a while are as far from 0 as it says.
  int beyond = 0;
  double squares = 0;
  constexpr int kRuns = 200;
  for (int seed = 1; seed <= kRuns; ++seed) {
    Chance chance(static_cast<std::uint64_t>(seed));
    Series series;
    double y = 0;
    for (int i = 0; i < 20000; ++i) series.add(i, y = 0.98 * y + chance.normal());
    const TrendVerdict verdict = classify_trend(series);
    const double ratio = verdict.slope / verdict.slope_error;
    beyond += std::abs(ratio) > 3;
    squares += ratio * ratio / kRuns;
  }
  EXPECT_LT(beyond, 8);
  EXPECT_GT(squares, 0.5);
  EXPECT_LT(squares, 2);
}

TEST(Trend, TellsItsEvidence) {
  Series series;
  for (int i = 0; i <= 10000; ++i) series.add(i, 3e-4 * i + std::cos(0.7 * i));
  const TrendVerdict verdict = classify_trend(series);
  EXPECT_EQ(verdict.trend, Trend::linear);
  EXPECT_EQ(verdict.evidence.find("the mean moves by 3 ±"), 0u) << verdict.evidence;
  EXPECT_NE(verdict.evidence.find("oscillation 1,"), std::string::npos) << verdict.evidence;
  EXPECT_EQ(name(verdict.trend), "linear");
  EXPECT_EQ(name(Trend::random_walk), "random walk");
}

}  // namespace
}  // namespace cotangent
