#include "cotangent/analysis/solution_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "cotangent/analysis/level_history.hpp"
#include "cotangent/analysis/turns.hpp"

namespace cotangent {
namespace {

Series series_of(const std::function<double(double)>& y, double end = 200, int points = 20000) {
  Series series;
  for (int k = 0; k <= points; ++k) series.add(end * k / points, y(end * k / points));
  return series;
}

/// The distance of two planets, say, one of which is ahead by `phase`: with t^k until it is as large as the orbit.
double apart(double phase, double t) { return std::abs(2 * std::sin(phase / 2) * std::cos(5 * t)); }

TEST(SolutionErrors, GrowWithThePowerOfThePhase) {
  for (const auto& [k, trend] :
       {std::pair{1, Trend::linear}, std::pair{2, Trend::quadratic}, std::pair{3, Trend::cubic}}) {
    const auto error = series_of([k = k](double t) { return apart(0.3 * std::pow(t / 200, k), t); });
    const SolutionError verdict = judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)});
    EXPECT_EQ(verdict.trend, trend) << verdict.evidence;
    EXPECT_NEAR(verdict.growth.exponent, k, 0.15);
    EXPECT_FALSE(verdict.lost_at);
    EXPECT_FALSE(verdict.has_fallen);
  }
}

// Where the solution is lost late its power is still that of the growth before; what has been lost for long
// has grown, too.
TEST(SolutionErrors, EndAtTheSizeOfTheSolution) {
  const auto late = series_of([](double t) { return apart(2.8 * std::pow(t / 200, 3), t); });
  const SolutionError at_last = judge_solution_error(late, {.level = 1e-14, .size = LevelHistory(1)});
  EXPECT_TRUE(at_last.lost_at);
  EXPECT_EQ(at_last.trend, Trend::cubic) << at_last.evidence << at_last.growth.exponent;
  EXPECT_NE(at_last.evidence.find("as large as the motion itself"), std::string::npos);

  const auto early = series_of([](double t) { return apart(t < 30 ? t / 10 : 3, t); });
  const SolutionError for_long = judge_solution_error(early, {.level = 1e-14, .size = LevelHistory(1)});
  EXPECT_TRUE(for_long.lost_at);
  EXPECT_EQ(for_long.trend, Trend::linear) << for_long.evidence;
}

TEST(SolutionErrors, OfChaoticMotionAreExponential) {
  const auto error =
      series_of([](double t) { return std::min(1e-9 * std::exp(0.3 * t), 1.5) * std::abs(std::cos(t)); });
  const SolutionError verdict = judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)});
  EXPECT_EQ(verdict.trend, Trend::exponential) << verdict.evidence;
  EXPECT_TRUE(verdict.lost_at);
}

// Before the first turns an error does not follow its law: on the way to a limit cycle, say, it grows faster.
TEST(SolutionErrors, AreJudgedAfterTheFirstTurns) {
  const auto error = series_of([](double t) {
    return 1e-5 * (t < 12 ? 2 * std::exp(2 * (t - 12)) : t - 10) * (0.2 + std::pow(std::cos(t), 2));
  });
  const SolutionError verdict = judge_solution_error(error, {.level = 1e-18, .size = LevelHistory(1)});
  EXPECT_EQ(verdict.trend, Trend::linear) << verdict.evidence << verdict.growth.exponent;
  EXPECT_NEAR(verdict.growth.exponent, 1, 0.2);
}

// As large as the motion from the beginning on: it is not known how it came there.
TEST(SolutionErrors, ThatAreLostAreNotBounded) {
  const auto error = series_of([](double t) { return std::abs(std::sin(3 * t)) * (1 + 0.3 * std::sin(0.7 * t)); });
  EXPECT_EQ(judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)}).trend, Trend::unknown);
  EXPECT_EQ(judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(100)}).trend, Trend::bounded);
}

// A planet that is thrown out at its first passage goes away from the other one ever after: that is no growth of an
// error, but of what two motions are apart that have nothing to do with each other.
TEST(SolutionErrors, ThatAreLostAtOnceHaveNoPower) {
  const auto error = series_of([](double t) { return t < 0.1 ? 100 * t * t : 1 + 3 * (t - 0.1); });
  const SolutionError verdict = judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)});
  EXPECT_EQ(verdict.trend, Trend::unknown) << verdict.evidence;
  ASSERT_TRUE(verdict.lost_at);
  EXPECT_LT(*verdict.lost_at, 0.2);
  EXPECT_NE(verdict.evidence.find("the solution is lost at t = "), std::string::npos) << verdict.evidence;
}

TEST(SolutionErrors, MayDieOut) {
  const auto error = series_of([](double t) { return 1e-4 * t * std::exp(-0.05 * t) * std::abs(std::cos(3 * t)); });
  const SolutionError verdict = judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)});
  EXPECT_TRUE(verdict.has_fallen);
  EXPECT_TRUE(verdict.trend == Trend::decaying || verdict.trend == Trend::bounded) << name(verdict.trend);
}

TEST(SolutionErrors, BelowTheLevelAreOfRounding) {
  const auto error = series_of([](double t) { return 1e-17 * t; });
  EXPECT_EQ(judge_solution_error(error, {.level = 1e-14, .size = LevelHistory(1)}).trend, Trend::rounding);
  EXPECT_EQ(judge_solution_error(error, {.level = 1e-17, .size = LevelHistory(1)}).trend, Trend::linear);
}

// A few points, or less than a period, say nothing.
TEST(SolutionErrors, OfShortRunsAreUnknown) {
  Series few;
  for (int k = 0; k < 5; ++k) few.add(k, 1e-5 * k * k);
  EXPECT_EQ(judge_solution_error(few, {.level = 1e-14, .size = LevelHistory(1)}).trend, Trend::unknown);
  const auto steep = series_of([](double t) { return 1e-9 * std::pow(t, 4.3); }, 1, 100);
  EXPECT_EQ(judge_solution_error(steep, {.level = 1e-16, .size = LevelHistory(1)}).trend, Trend::unknown);
}

TEST(Turns, AreThoseThatAreNoticed) {
  EXPECT_EQ(count_turns(series_of([](double) { return 3.0; })), 0);
  EXPECT_EQ(count_turns(series_of([](double t) { return t; })), 0);
  EXPECT_EQ(count_turns(series_of([](double t) { return std::sin(2 * M_PI * t); }, 5, 2000)), 10);
  // Ripples of less than a twentieth are not.
  EXPECT_EQ(count_turns(series_of([](double t) { return t + 0.01 * std::sin(100 * t); }, 1, 2000)), 0);
}

TEST(Turns, AreNeededForWhatIsSaidOfTheLongRun) {
  const auto series = series_of([](double t) { return std::sin(2 * M_PI * t); }, 5, 2000);
  EXPECT_EQ(classify_trend(series).trend, Trend::bounded);
  EXPECT_EQ(classify_trend(series, {.fewest_turns = 10}).trend, Trend::bounded);
  const TrendVerdict verdict = classify_trend(series, {.fewest_turns = 11});
  EXPECT_EQ(verdict.trend, Trend::unknown);
  EXPECT_EQ(verdict.turns, 10);
  EXPECT_NE(verdict.evidence.find("too short"), std::string::npos);
  // A decay that is over has none.
  const auto decay = series_of([](double t) { return 1 - std::exp(-0.1 * t); });
  EXPECT_EQ(classify_trend(decay, {.fewest_turns = 11}).trend, Trend::decaying);
  const auto slow = series_of([](double t) { return 1 - std::exp(-0.02 * t); });
  EXPECT_EQ(classify_trend(slow, {.fewest_turns = 11}).trend, Trend::unknown);
  // What goes back has not come to its end.
  const auto back = series_of([](double t) { return 1 - std::exp(-0.1 * t) - 1e-3 * t; });
  EXPECT_EQ(classify_trend(back, {.fewest_turns = 11}).trend, Trend::unknown);
  // A drift is one without them.
  const auto drift = series_of([](double t) { return t; });
  EXPECT_EQ(classify_trend(drift, {.fewest_turns = 11}).trend, Trend::linear);
}

TEST(Turns, TakeSoManyBinsFromTheBeginning) {
  const auto grown = series_of([](double t) { return t * t * std::cos(2 * M_PI * t); }, 20, 2000);
  EXPECT_NEAR(static_cast<double>(bins_of_turns(grown.bins(), 8, 0)), 400, 40);
  const auto smooth = series_of([](double t) { return t * t; }, 20, 2000);
  EXPECT_EQ(bins_of_turns(smooth.bins(), 8, 0), 0U);
  EXPECT_EQ(bins_of_turns(grown.bins(), 8, 1e6), 0U) << "below the level";
}

TEST(LevelHistories, KnowTheLargestSoFar) {
  LevelHistory level;
  EXPECT_EQ(level.at(1), 0);
  level.add(0, 1);
  level.add(2, 5);
  level.add(4, 3);
  level.add(6, std::nan(""));
  EXPECT_EQ(level.at(0), 1);
  EXPECT_EQ(level.at(1), 5) << "up to the next time that is known";
  EXPECT_EQ(level.at(4), 5);
  EXPECT_TRUE(std::isinf(level.at(5)));
  EXPECT_TRUE(std::isinf(level.at(7)));
  EXPECT_EQ(level.first(), 1);
  EXPECT_EQ(LevelHistory(2).at(100), 2);
}

}  // namespace
}  // namespace cotangent
