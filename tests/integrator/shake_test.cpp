#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/integrator/structure.hpp"

// What is special about shake: it is rattle, in another order of operations.

namespace cotangent {
namespace {

using test::full_distance;
using test::mechanism;
using test::Runner;

class ShakeOn : public testing::TestWithParam<const char*> {};

TEST_P(ShakeOn, GivesTheSequenceOfRattle) {
  const auto given = mechanism(test::problem(GetParam()));
  Runner<Quad> shake(given, "shake"), rattle(given, "rattle");
  auto a = shake.start(), b = a;
  // Steps of different lengths, and a point that comes from elsewhere in between.
  for (const Quad h : {0.04Q, 0.04Q, 0.04Q, 0.02Q, 0.05Q, -0.03Q, 0.04Q}) {
    ASSERT_TRUE(shake.step(a, h) && rattle.step(b, h));
    ASSERT_LE(static_cast<double>(test::distance(a->q, b->q)), 1e-29);
    ASSERT_LE(full_distance(a, b), 1e-29);
  }
  a.forget();
  ASSERT_TRUE(shake.step(a, 0.04Q) && rattle.step(b, 0.04Q));
  EXPECT_LE(full_distance(a, b), 1e-29);
}

INSTANTIATE_TEST_SUITE_P(Every, ShakeOn,
                         testing::Values("pendulum", "double_pendulum", "relativistic", "loop", "group_constraint",
                                         "coupled_momenta", "free"),
                         [](const auto& each) { return std::string(each.param); });

// Rounding errors of projections do not come back: after many steps both are still the same but for their growth.
TEST(Shake, StaysWithRattleInDoublePrecision) {
  const auto given = mechanism(test::problem("double_pendulum"));
  Runner<double> shake(given, "shake"), rattle(given, "rattle");
  auto a = shake.start(), b = a;
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(shake.step(a, 0.01) && rattle.step(b, 0.01));
  EXPECT_LE(full_distance(a, b), 1e-10);
  EXPECT_LE(shake.manifold.position_residual(a->q.data(), 0).value, 1e-15);
  EXPECT_LE(shake.manifold.momentum_residual(a).value, 1e-15);
}

TEST(Shake, RefusesWhatItIsNotMadeFor) {
  EXPECT_THROW(Runner<double>(mechanism(test::problem("spherical_metric")), "shake"), std::invalid_argument);
  EXPECT_THROW(Runner<double>(test::kMovingSupport, "shake"), std::invalid_argument);
  EXPECT_THROW(Runner<double>(test::kDamped, "shake"), std::invalid_argument);
  EXPECT_NO_THROW(Runner<double>(test::kHeavyChain, "shake"));
}

}  // namespace
}  // namespace cotangent
