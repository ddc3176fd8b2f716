#include "cotangent/analysis/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/chance.hpp"

namespace cotangent {
namespace {

constexpr double kEnd = 1000;

Series series_of(const std::function<double(double)>& y, int points = 20000) {
  Series series;
  for (int k = 0; k <= points; ++k) series.add(kEnd * k / points, y(kEnd * k / points));
  return series;
}

TEST(Drifts, AreFoundUnderOscillations) {
  const Drift drift = measure_drift(series_of([](double t) { return 5 + std::cos(3 * t) + 1e-4 * t; }));
  EXPECT_TRUE(drift.is_settled);
  EXPECT_NEAR(drift.slope, 1e-4, 3 * drift.error);
  EXPECT_LT(drift.error, 1e-5);
  EXPECT_NEAR(drift.oscillation, 2, 0.05);
}

TEST(Drifts, AreNotThoseOfBeats) {
  for (const double periods : {0.5, 1.0, 2.0}) {
    const double slow = 2 * M_PI * periods / kEnd;
    const Drift drift = measure_drift(
        series_of([&](double t) { return (1 + std::sin(slow * t)) * std::cos(3 * t) + std::sin(slow * t + 1); }));
    EXPECT_FALSE(drift.is_settled) << periods;
  }
}

TEST(Drifts, NeedBlocks) {
  EXPECT_FALSE(measure_drift(Series()).is_settled);
  EXPECT_FALSE(measure_drift(series_of([](double t) { return t; }, 40)).is_settled);
  // A line that bends goes away all the same.
  const Drift bends = measure_drift(series_of([](double t) { return std::cos(3 * t) + 0.1 * t + 1e-5 * t * t; }));
  EXPECT_FALSE(bends.is_settled);
  EXPECT_GT(bends.slope, 5 * bends.error);
  const Drift nothing = measure_drift(series_of([](double) { return 2.0; }));
  EXPECT_TRUE(nothing.is_settled);
  EXPECT_EQ(nothing.slope, 0);
  EXPECT_EQ(nothing.error, 0);
}

// Of noise that remembers: how often a drift is seen where there is none, and how often one is missed by three errors.
TEST(Drifts, HaveHonestErrors) {
  Chance chance(20261118);
  int known = 0, far = 0, very_far = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    // Correlated over 1 to 100 of 4000 points.
    const double memory = std::pow(10, 2 * chance.uniform(0, 1)), keep = std::exp(-1 / memory),
                 truth = 0.01 * chance.normal();
    double noise = chance.normal() / std::sqrt(1 - keep * keep);
    Series series;
    for (int k = 0; k <= 4000; ++k, noise = keep * noise + chance.normal()) series.add(k, noise + truth * k);
    const Drift drift = measure_drift(series);
    known += drift.is_settled ? 1 : 0;
    if (!drift.is_settled) continue;
    far += std::abs(drift.slope - truth) > 3 * drift.error ? 1 : 0;
    very_far += std::abs(drift.slope - truth) > 5 * drift.error ? 1 : 0;
  }
  EXPECT_GT(known, kRuns / 2);
  EXPECT_LE(far, known / 50);
  EXPECT_EQ(very_far, 0);
}

// A random walk has no drift, and no error that stops growing.
TEST(Drifts, AreNotThoseOfRandomWalks) {
  Chance chance(1);
  int claimed = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    Series series;
    double y = 0;
    for (int k = 0; k <= 4000; ++k, y += chance.normal()) series.add(k, y);
    const Drift drift = measure_drift(series);
    claimed += std::abs(drift.slope) > 5 * drift.error ? 1 : 0;
  }
  EXPECT_LE(claimed, kRuns / 100);
}

}  // namespace
}  // namespace cotangent
