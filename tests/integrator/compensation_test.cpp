#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "cotangent/integrator/registry/registry.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/unit_pendulum.hpp"

namespace cotangent {
namespace {

// RATTLE in double against the same map in quad precision: what is left is rounding. With compensated sums it grows
// like a random walk, here to some 1e-14; without them, a hundred times faster.
TEST(CompensatedUpdates, KeepRoundingErrorsFromAddingUp) {
  // All numbers are exact in double: both precisions integrate the same system.
  const test::Problem problem{.name = "unit pendulum", .text = test::rotating_pendulum(test::kHalvedRod)};
  test::Instance<Quad> exact_instance(problem);
  test::Instance<double> instance(problem), plain_instance(problem);
  const auto exact_map = find_method<Quad>("rattle").make(exact_instance.manifold);
  const auto map = find_method<double>("rattle").make(instance.manifold);
  const auto plain_map = find_method<double>("rattle").make(plain_instance.manifold);

  Point<double> z(2), plain(2);
  Point<Quad> exact(2);
  z.change().q = plain.change().q = {1, 0};
  z.change().p = plain.change().p = {0, -2};
  exact.change().q = {1, 0};
  exact.change().p = {0, -2};

  const double h = 0.01;
  for (int k = 0; k < 16'000; ++k) {
    ASSERT_EQ(map->step(z, h).status, StepStatus::ok);
    ASSERT_EQ(exact_map->step(exact, h).status, StepStatus::ok);
    ASSERT_EQ(plain_map->step(plain, h).status, StepStatus::ok);
    plain.change().q_low.assign(2, 0);
    plain.change().p_low.assign(2, 0);
  }
  const auto error = [&](const PhasePoint<double>& point) {
    double largest = 0;
    for (std::size_t j = 0; j < 2; ++j)
      largest = std::max(largest, std::abs(static_cast<double>(exact->q[j] - static_cast<Quad>(point.q[j]))));
    return largest;
  };
  EXPECT_LE(error(z), 3e-13);
  EXPECT_GE(error(plain), 10 * error(z));
}

}  // namespace
}  // namespace cotangent
