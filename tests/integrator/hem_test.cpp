#include "cotangent/integrator/hem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/integrator/structure.hpp"

// What is special about hem3 and hem4.

namespace cotangent {
namespace {

using test::full_distance;
using test::Mechanism;
using test::mechanism;
using test::Runner;

// The conditions of explicit Runge-Kutta methods up to the order, and the first that they add for multipliers: with
// w = inverse of (a_{i+1,j}), sum_ij b_i c_i w_ij c_{j+1}^2 = 2/3 at order 3.
TEST(HemTableau, SatisfiesTheOrderConditions) {
  for (const int order : {3, 4}) {
    const auto a = hem_tableau(order);
    const std::size_t s = a.size();
    std::vector<Quad> c(s + 1, 0);
    for (std::size_t i = 0; i < s; ++i)
      for (const Quad& entry : a[i]) c[i + 1] += entry;
    const auto& b = a[s - 1];
    const auto sum = [&](const auto& f) {
      Quad total = 0;
      for (std::size_t i = 0; i < s; ++i) total += b[i] * f(i);
      return total;
    };
    const auto below = [&](const auto& f, std::size_t i) {
      Quad total = 0;
      for (std::size_t j = 0; j < i; ++j) total += a[i - 1][j] * f(j);
      return total;
    };
    // w (c_2^2, ..., c_{s+1}^2), by forward substitution
    std::vector<Quad> slopes(s, 0);
    for (std::size_t i = 0; i < s; ++i) {
      Quad rest = c[i + 1] * c[i + 1];
      for (std::size_t j = 0; j < i; ++j) rest -= a[i][j] * slopes[j];
      slopes[i] = rest / a[i][i];
    }
    using Index = std::size_t;
    std::vector<Quad> defects{
        c[s] - 1,
        sum([&](Index i) { return c[i]; }) - Quad(1) / 2,
        sum([&](Index i) { return c[i] * c[i]; }) - Quad(1) / 3,
        sum([&](Index i) { return below([&](Index j) { return c[j]; }, i); }) - Quad(1) / 6,
        sum([&](Index i) { return c[i] * slopes[i]; }) - Quad(2) / 3,
    };
    if (order == 4) {
      defects.push_back(sum([&](Index i) { return c[i] * c[i] * c[i]; }) - Quad(1) / 4);
      defects.push_back(sum([&](Index i) { return c[i] * below([&](Index j) { return c[j]; }, i); }) - Quad(1) / 8);
      defects.push_back(sum([&](Index i) { return below([&](Index j) { return c[j] * c[j]; }, i); }) - Quad(1) / 12);
      defects.push_back(
          sum([&](Index i) { return below([&](Index j) { return below([&](Index k) { return c[k]; }, j); }, i); }) -
          Quad(1) / 24);
    }
    for (std::size_t k = 0; k < defects.size(); ++k)
      EXPECT_LE(std::abs(static_cast<double>(defects[k])), 1e-32) << "order " << order << ", condition " << k;
  }
}

class HemOf : public testing::TestWithParam<Mechanism> {};

TEST_P(HemOf, HasItsOrder) {
  for (const int order : {3, 4}) {
    Runner<Quad> runner(GetParam(), "hem" + std::to_string(order));
    EXPECT_NEAR(test::measured_order(runner, 16, 0.2Q, order), order, 0.25) << order;
  }
}

TEST_P(HemOf, ConvergesToTheMotionThatRk4Finds) {
  const long double end = 0.4L;
  const auto exact = Runner<long double>(GetParam(), "rk4").run(400, end);
  EXPECT_LE(full_distance(Runner<long double>(GetParam(), "hem4").run(100, end), exact), 1e-8);
}

TEST_P(HemOf, StaysOnTheManifold) {
  Runner<double> runner(GetParam(), "hem4");
  auto z = runner.start();
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(runner.step(z, 0.02));
    ASSERT_LE(runner.manifold.position_residual(z.q.data(), z.t).value, 1e-14);
    ASSERT_LE(runner.manifold.momentum_residual(z).value, 1e-13);
  }
}

TEST_P(HemOf, IsNeitherSymmetricNorSymplectic) {
  Runner<Quad> runner(GetParam(), "hem4");
  EXPECT_GE(test::asymmetry(runner, 0.05Q), 1e-12);
  EXPECT_GE(test::area_change(runner, 0.05Q), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Every, HemOf,
                         testing::Values(test::kHeavyChain, test::kCurvedMass, test::kQuaternion, test::kMovingSupport,
                                         test::kDriven, test::kDamped, test::kRedundant,
                                         mechanism(test::problem("spherical_metric"))),
                         [](const auto& each) { return each.param.name; });

TEST(Hem, RefusesForcesOfMultipliersAndLeavesThePointUntouchedWhereItFails) {
  EXPECT_THROW(Runner<double>(test::kFriction, "hem4"), std::invalid_argument);
  EXPECT_THROW(Runner<double>(test::kThermostat, "hem4"), std::invalid_argument);
  Runner<double> runner(test::kDriven, "hem4");
  auto z = runner.start();
  ASSERT_TRUE(runner.step(z, 0.02));
  const auto before = z;
  EXPECT_NE(runner.integrator->step(z, 1e150).status, StepStatus::ok);
  EXPECT_EQ(z.q, before.q);
  EXPECT_EQ(z.p, before.p);
  EXPECT_EQ(z.s, before.s);
  EXPECT_EQ(z.revision, before.revision);
}

}  // namespace
}  // namespace cotangent
