#include "cotangent/analysis/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernel/allocations.hpp"
#include "tests/support/chance.hpp"

namespace cotangent {
namespace {

TEST(Series, KeepsEachPointUpToItsCapacity) {
  Series series(64);
  for (int i = 0; i < 64; ++i) series.add(0.5 * i, 7. + i * i);
  ASSERT_EQ(series.bins().size(), 64u);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(series.bins()[i].count, 1);
    EXPECT_EQ(series.bins()[i].mean, static_cast<double>(i * i));
    EXPECT_EQ(series.bins()[i].t_mean, 0.5 * static_cast<double>(i));
  }
  series.add(32, 0);
  EXPECT_EQ(series.bins().size(), 33u);
  EXPECT_EQ(series.size(), 65);
  EXPECT_EQ(series.last_value(), 0);
  EXPECT_EQ(series.first_value(), 7);
}

// Bins against sums over the points they stand for, with steps of different lengths.
TEST(Series, BinsAreWhatTheirPointsAre) {
  Chance chance(1);
  Series series(64);
  std::vector<double> t, y;
  double now = 3;
  for (int i = 0; i < 5000; ++i) {
    now += chance.uniform(0.1, 1);
    t.push_back(now);
    y.push_back(1000 + std::sin(now) + chance.normal());
    series.add(t.back(), y.back());
  }
  std::size_t first = 0;
  const std::int64_t full = series.bins().front().count;
  for (const SeriesBin& bin : series.bins()) {
    const auto count = static_cast<std::size_t>(bin.count);
    if (first + count < t.size()) {
      EXPECT_EQ(bin.count, full);
    }
    const auto n = static_cast<double>(count);
    double t_mean = 0, mean = 0, tt = 0, ty = 0, yy = 0, min = 1e9, max = -1e9;
    for (std::size_t i = first; i < first + count; ++i) {
      t_mean += t[i] / n;
      mean += (y[i] - y[0]) / n;
      min = std::min(min, y[i] - y[0]);
      max = std::max(max, y[i] - y[0]);
    }
    for (std::size_t i = first; i < first + count; ++i) {
      tt += (t[i] - t_mean) * (t[i] - t_mean);
      ty += (t[i] - t_mean) * (y[i] - y[0] - mean);
      yy += (y[i] - y[0] - mean) * (y[i] - y[0] - mean);
    }
    EXPECT_EQ(bin.t_first, t[first]);
    EXPECT_EQ(bin.t_last, t[first + count - 1]);
    EXPECT_EQ(bin.y_first, y[first] - y[0]);
    EXPECT_EQ(bin.y_last, y[first + count - 1] - y[0]);
    EXPECT_EQ(bin.min, min);
    EXPECT_EQ(bin.max, max);
    EXPECT_NEAR(bin.t_mean, t_mean, 1e-12 * t_mean);
    EXPECT_NEAR(bin.mean, mean, 1e-13);
    EXPECT_NEAR(bin.tt, tt, 1e-11 * tt);
    EXPECT_NEAR(bin.ty, ty, 1e-10 * std::sqrt(tt * yy));
    EXPECT_NEAR(bin.yy, yy, 1e-12 * yy);
    first += count;
  }
  EXPECT_EQ(first, t.size());
}

TEST(Series, KeepsTheDigitsOfASmallMotionOfALargeNumber) {
  Series series;
  const double ulp = std::ldexp(1, -42);  // of 1024 <= y < 2048
  for (int i = 0; i < 1 << 20; ++i) series.add(i, 1024 + (i % 2) * ulp);
  for (const SeriesBin& bin : series.bins()) EXPECT_EQ(bin.mean, ulp / 2);
}

TEST(Series, TakesBackThePointAddedLast) {
  // 200 points with 64 bins merge several times; after each a wrong one is added and taken back.
  Series plain(64), retracting(64);
  for (int i = 0; i < 200; ++i) {
    plain.add(i, std::sin(i));
    retracting.add(i, std::sin(i));
    retracting.add(i + 0.5, i % 3 == 0 ? std::numeric_limits<double>::infinity() : 1e10);
    retracting.take_back();
  }
  plain.add(200, 1);
  retracting.add(200, 1);
  ASSERT_EQ(plain.bins().size(), retracting.bins().size());
  for (std::size_t i = 0; i < plain.bins().size(); ++i) {
    const SeriesBin &a = plain.bins()[i], &b = retracting.bins()[i];
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.yy, b.yy);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.t_last, b.t_last);
  }
  EXPECT_EQ(retracting.not_finite(), 0);
  EXPECT_EQ(plain.size(), retracting.size());

  Series first;
  first.add(0, 5);
  first.take_back();
  EXPECT_TRUE(first.empty());
  first.add(0, 6);
  EXPECT_EQ(first.first_value(), 6);
}

TEST(Series, CountsWhatIsNotFinite) {
  Series series;
  series.add(0, 1);
  series.add(1, std::nan(""));
  series.add(2, std::numeric_limits<double>::infinity());
  series.add(3, 2);
  EXPECT_EQ(series.size(), 2);
  EXPECT_EQ(series.not_finite(), 2);
  EXPECT_EQ(series.first_not_finite(), 1);
  EXPECT_EQ(series.first_value() + series.all().mean, 1.5);
  EXPECT_EQ(series.first_value() + series.all().min, 1);
  EXPECT_EQ(series.first_value() + series.all().max, 2);
}

// Squares of such numbers have no place in a bin; but they were there.
TEST(Series, KnowsTheLargestOfAll) {
  Series series;
  series.add(0, 1);
  series.add(1, -1e200);
  series.add(2, std::numeric_limits<double>::infinity());
  EXPECT_EQ(series.largest(), 1e200);
  EXPECT_EQ(series.not_finite(), 2);
  series.add(3, 1e300);
  series.take_back();
  EXPECT_EQ(series.largest(), 1e200);
}

TEST(Series, AllocatesNothingAsItGrows) {
  Series series;
  const long before = test::allocations();
  for (int i = 0; i < 10000; ++i) series.add(i, i);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace cotangent
