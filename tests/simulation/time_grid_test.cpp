#include "cotangent/simulation/pace/time_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace cotangent {
namespace {

template <class T>
class Grid : public testing::Test {};
using Types = testing::Types<double, Quad>;
TYPED_TEST_SUITE(Grid, Types);

TYPED_TEST(Grid, HasEqualStepsWhereTheEndIsAMultiple) {
  // 100 / 0.01 and 0.3 / 0.1 are integers in decimals, not in binary.
  for (const auto& [step, end, count] : {std::tuple{0.01, 100.0, 10000}, {0.1, 0.3, 3}, {0.1, 1e6, 10000000}}) {
    const TimeGrid<TypeParam> grid({.step = step, .end = end});
    EXPECT_EQ(grid.steps(), count);
    EXPECT_TRUE(grid.length(count) == grid.step());
    EXPECT_TRUE(grid.time(count) == grid.end());
  }
}

TYPED_TEST(Grid, ShortensTheLastStep) {
  const TimeGrid<TypeParam> grid({.step = 0.3, .end = 1});
  EXPECT_EQ(grid.steps(), 4);
  EXPECT_NEAR(static_cast<double>(grid.length(4)), 0.1, 1e-15);
  EXPECT_TRUE(grid.time(4) == TypeParam(1));
  const TimeGrid<TypeParam> short_run({.step = 0.3, .end = 0.1});
  EXPECT_EQ(short_run.steps(), 1);
  EXPECT_TRUE(short_run.length(1) == short_run.end());
}

TYPED_TEST(Grid, ComputesTimesInsteadOfAddingThemUp) {
  const TimeGrid<TypeParam> grid({.step = 0.1, .end = 1e5});
  EXPECT_TRUE(grid.time(999999) == TypeParam(999999) / TypeParam(10));
}

TYPED_TEST(Grid, HasTheTimesThatDecimalsName) {
  for (const auto& [step, places] : {std::pair{0.1, 1}, {0.01, 2}, {0.025, 3}, {2e-7, 7}}) {
    const TimeGrid<TypeParam> grid({.step = step, .end = 1e6 * step});
    for (const std::int64_t k : {1, 3, 7, 9, 113, 99999}) {
      TypeParam power(1);
      for (int p = 0; p < places; ++p) power *= TypeParam(10);
      const auto digits = static_cast<TypeParam>(std::llround(step * std::pow(10.0, places)));
      EXPECT_TRUE(grid.time(k) == static_cast<TypeParam>(k) * digits / power) << step << " " << k;
    }
  }
  const TimeGrid<double> grid({.step = 0.1, .end = 10});
  EXPECT_EQ(grid.time(3), 0.3);
  EXPECT_EQ(grid.time(9), 0.9);
  // Steps that are no short decimals, and products that do not fit.
  const double h = 0.0062831853071795866;
  EXPECT_EQ(TimeGrid<double>({.step = h, .end = 10}).time(100), 100 * h);
  EXPECT_EQ(TimeGrid<double>({.step = 4, .end = 40}).time(3), 12);
}

TYPED_TEST(Grid, MayBeginAnywhereAndGoBackwards) {
  using T = TypeParam;
  const TimeGrid<T> later({.step = 0.1, .end = 0.7, .start = 0.1});
  EXPECT_EQ(later.steps(), 6);
  EXPECT_TRUE(later.time(2) == T(3) / T(10)) << "0.1 + 2 * 0.1 is 0.3";
  const TimeGrid<T> back({.step = 0.3, .end = -0.5, .every = 2, .start = 1});
  EXPECT_EQ(back.steps(), 5);
  EXPECT_TRUE(back.step() < T(0));
  EXPECT_TRUE(back.time(0) == T(1));
  EXPECT_TRUE(back.time(1) == T(7) / T(10));
  EXPECT_TRUE(back.time(4) == T(-2) / T(10));
  EXPECT_TRUE(back.time(5) == T(-5) / T(10));
  for (int k = 1; k <= 5; ++k)
    EXPECT_NEAR(static_cast<double>(back.time(k - 1) + back.length(k) - back.time(k)), 0, 1e-16) << k;
  EXPECT_TRUE(back.is_before(T(1), T(0)));
  const TimeGrid<T> sampled({.step = 0.02, .end = 0.9, .sample = 0.03, .start = 1});
  EXPECT_TRUE(sampled.step_was_reduced());
  EXPECT_TRUE(sampled.time(2) == T(97) / T(100));
  EXPECT_TRUE(sampled.is_recorded(2));
  EXPECT_EQ(sampled.steps(), 7);
}

TEST(GridOfQuads, TakesDecimalsAtTheirWord) {
  const TimeGrid<Quad> grid({.step = 0.1, .end = 1});
  EXPECT_TRUE(grid.step() == static_cast<Quad>(1) / 10);
}

TYPED_TEST(Grid, RecordsEveryKthStepAndTheLast) {
  const TimeGrid<TypeParam> grid({.step = 0.1, .end = 1, .every = 4});
  std::vector<int> recorded;
  for (int k = 0; k <= 10; ++k)
    if (grid.is_recorded(k)) recorded.push_back(k);
  EXPECT_EQ(recorded, (std::vector{0, 4, 8, 10}));
}

TYPED_TEST(Grid, RecordsAtExactlyTheSamplingTimes) {
  using T = TypeParam;
  const TimeGrid<T> multiple({.step = 0.01, .end = 1, .sample = 0.05});
  EXPECT_FALSE(multiple.step_was_reduced());
  EXPECT_EQ(multiple.steps(), 100);
  // 0.03 is not a multiple of 0.02: three steps of 0.015 would do, two suffice.
  const TimeGrid<T> reduced({.step = 0.02, .end = 0.1, .sample = 0.03});
  EXPECT_TRUE(reduced.step_was_reduced());
  EXPECT_NEAR(static_cast<double>(reduced.step()), 0.015, 1e-17);
  EXPECT_EQ(reduced.steps(), 7);
  std::vector<double> times;
  for (int k = 0; k <= 7; ++k)
    if (reduced.is_recorded(k)) times.push_back(static_cast<double>(reduced.time(k)));
  EXPECT_EQ(times, (std::vector{0.0, 0.03, 0.06, 0.09, 0.1}));
  // Samples closer than the step.
  const TimeGrid<T> close({.step = 0.5, .end = 1, .sample = 0.1});
  EXPECT_EQ(close.steps(), 10);
  EXPECT_TRUE(close.step_was_reduced());
}

TEST(GridOptions, AreBlamedByName) {
  for (const auto& [options, name] : {std::pair{TimeGridOptions{.step = 0, .end = 1}, "step"},
                                      {TimeGridOptions{.step = 1, .end = INFINITY}, "end"},
                                      {TimeGridOptions{.step = 1, .end = 1, .start = NAN}, "start"},
                                      {TimeGridOptions{.step = 1, .end = 1, .sample = 1e300}, "sample"},
                                      {TimeGridOptions{.step = 1, .end = 1, .sample = 1e-300}, "sample"},
                                      {TimeGridOptions{.step = 1, .end = 1, .every = 0}, "every"},
                                      {TimeGridOptions{.step = 1, .end = 1, .sample = 0.0}, "sample"}}) {
    try {
      static_cast<void>(TimeGrid<double>(options));
      ADD_FAILURE() << name;
    } catch (const TimeGridError& error) {
      EXPECT_EQ(error.option(), name);
    }
  }
}

TEST(GridOptions, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_THROW(TimeGrid<double>({.step = 0, .end = 1}), std::invalid_argument);
  EXPECT_THROW(TimeGrid<double>({.step = -0.1, .end = 1}), std::invalid_argument);
  EXPECT_THROW(TimeGrid<double>({.step = -0.1, .end = -1}), std::invalid_argument) << "the end says where it goes";
  EXPECT_THROW(TimeGrid<double>({.step = 1e-300, .end = 1}), std::invalid_argument);
  EXPECT_THROW(TimeGrid<double>({.step = 0.1, .end = 1, .every = 0}), std::invalid_argument);
  EXPECT_THROW(TimeGrid<double>({.step = 0.1, .end = 1, .sample = -1}), std::invalid_argument);
  EXPECT_THROW(TimeGrid<double>({.step = 0.1, .end = 1, .every = 2, .sample = 1}), std::invalid_argument);
  EXPECT_EQ(TimeGrid<double>({.step = 0.1, .end = 0}).steps(), 0);
}

}  // namespace
}  // namespace cotangent
