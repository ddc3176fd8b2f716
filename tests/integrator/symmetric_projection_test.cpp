#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/integrator/structure.hpp"

// What is special about symmetric(METHOD).

namespace cotangent {
namespace {

using test::full_distance;
using test::Mechanism;
using test::mechanism;
using test::Runner;

class SymmetricProjectionOf : public testing::TestWithParam<Mechanism> {};

TEST_P(SymmetricProjectionOf, HasTheOrderOfTheMethod) {
  for (const auto& [method, order] : {std::pair("implicit-midpoint", 2), {"gauss:2", 4}, {"gauss:3", 6}}) {
    Runner<Quad> runner(GetParam(), "symmetric(" + std::string(method) + ")");
    EXPECT_EQ(runner.integrator->facts().order, order);
    EXPECT_NEAR(test::measured_order(runner, 4, 0.2Q, order), order, 0.3) << method;
  }
}

TEST_P(SymmetricProjectionOf, IsSymmetric) {
  for (const char* method : {"symmetric(implicit-midpoint)", "symmetric(gauss:2)"}) {
    Runner<Quad> runner(GetParam(), method);
    EXPECT_TRUE(runner.integrator->facts().symmetric);
    EXPECT_LE(test::asymmetry(runner, 0.05Q), 1e-27) << method;
  }
}

TEST_P(SymmetricProjectionOf, IsNotSymplectic) {
  Runner<Quad> runner(GetParam(), "symmetric(implicit-midpoint)");
  EXPECT_FALSE(runner.integrator->facts().symplectic);
  EXPECT_GE(test::area_change(runner, 0.05Q), 1e-9);
}

TEST_P(SymmetricProjectionOf, StaysOnTheManifold) {
  Runner<double> runner(GetParam(), "symmetric(gauss:2)");
  auto z = runner.start();
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(runner.step(z, 0.02));
    ASSERT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-14);
    ASSERT_LE(runner.manifold.momentum_residual(z).value, 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SymmetricProjectionOf,
                         testing::Values(test::kCurvedMass, test::kMovingSupport, test::kDriven,
                                         mechanism(test::problem("spherical_metric")),
                                         mechanism(test::problem("relativistic"))),
                         [](const auto& each) { return each.param.name; });

TEST(SymmetricProjection, TakesRedundantConstraints) {
  Runner<double> runner(test::kRedundant, "symmetric(gauss:2)"), lobatto(test::kRedundant, "lobatto:4");
  auto z = runner.start(), y = z;
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(runner.step(z, 0.02) && lobatto.step(y, 0.02));
  EXPECT_LE(full_distance(z, y), 1e-7);
  EXPECT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-14);
  EXPECT_LE(runner.manifold.momentum_residual(z).value, 1e-13);
}

// Under another formulation it is another map, of the same order.
TEST(SymmetricProjection, TakesFormulationsThatLeaveTheManifold) {
  const auto& problem = test::problem("spherical_metric");
  test::Instance<double> instance(problem);
  const auto method = find_method<double>("symmetric(gauss:2)");
  EXPECT_EQ(method.facts.formulations.front(), "standard");
  auto z = test::start<double>(problem), y = z;
  ASSERT_EQ(method.make(instance.manifold)->step(z, 0.1).status, StepStatus::ok);
  ASSERT_EQ(method.make(instance.manifold, "total")->step(y, 0.1).status, StepStatus::ok);
  EXPECT_LE(full_distance(z, y), 1e-5);
  EXPECT_GE(full_distance(z, y), 1e-12);
  EXPECT_THROW(method.make(instance.manifold, "state-space"), std::invalid_argument);
  EXPECT_THROW(find_method<double>("symmetric(rk4)"), std::invalid_argument);
  EXPECT_THROW(find_method<double>("symmetric(rattle)"), std::invalid_argument);
  EXPECT_THROW(find_method<double>("symmetric"), std::invalid_argument);
}

TEST(SymmetricProjection, IsRefusedWithoutConstraints) {
  test::Instance<double> instance(test::problem("free"));
  EXPECT_THROW(find_method<double>("symmetric(gauss:2)").make(instance.manifold), std::invalid_argument);
}

TEST(SymmetricProjection, LeavesThePointUntouchedWhereItFails) {
  Runner<double> runner(test::kDriven, "symmetric(gauss:2)");
  auto z = runner.start();
  ASSERT_TRUE(runner.step(z, 0.02));
  const auto before = z;
  EXPECT_NE(runner.integrator->step(z, 1e150).status, StepStatus::ok);
  EXPECT_EQ(z->q, before->q);
  EXPECT_EQ(z->p, before->p);
  EXPECT_EQ(z->s, before->s);
}

}  // namespace
}  // namespace cotangent
