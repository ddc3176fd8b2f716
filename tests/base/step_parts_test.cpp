#include "cotangent/base/step_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cotangent {
namespace {

std::vector<double> lengths(int K, double h) {
  const StepParts parts(K);
  std::vector<double> result;
  double done = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    result.push_back(parts.length(k, h, done));
    done += result.back();
  }
  EXPECT_EQ(done, h);
  return result;
}

TEST(StepParts, AreAsEvenAsIrrationalRatiosPermit) {
  EXPECT_NEAR(lengths(2, 1)[0], 0.381966, 1e-6);
  for (int K = 2; K <= 100; ++K) {
    const auto parts = lengths(K, -0.3);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(K));
    const auto [most, least] = std::minmax_element(parts.begin(), parts.end());
    EXPECT_LT(*least, 0);
    EXPECT_LT(*most / *least, 2.619) << K;
  }
}

TEST(StepParts, LeaveAPartOfTheError) {
  EXPECT_NEAR(StepParts(2).error_left(1), 0.527864, 1e-6);  // 1 - 2 a b
  EXPECT_NEAR(StepParts(2).error_left(2), 0.291796, 1e-6);  // 1 - 3 a b
  EXPECT_EQ(StepParts(1).error_left(4), 1);
  for (const int order : {1, 2, 4}) {
    EXPECT_GT(StepParts(10).error_left(order) * std::pow(10, order), 1) << "equal parts leave least";
    EXPECT_LT(StepParts(10).error_left(order) * std::pow(10, order), 2.5);
  }
}

// A force of n periods in a step looks constant to a method that evaluates it at both ends; the place between the parts
// tells.
TEST(StepParts, SeeForcesThatFitIntoSteps) {
  for (const int n : {1, 2, 3, 4}) {
    const double seen = (1 - std::cos(2 * M_PI * n * lengths(2, 1)[0])) / 2;
    EXPECT_GT(seen / (1 - StepParts(2).error_left(2)), 0.25) << n;
  }
}

}  // namespace
}  // namespace cotangent
