#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/integrator/runner.hpp"
#include "tests/support/instance.hpp"

// Forces across the velocity, as those of a magnetic field, do no work but for rounding errors: of W nothing is left
// that has a size, and nothing may be measured by it.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

const Mechanism kGyroscopic{"gyroscopic", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + (x^2 + y^2)/2 + x^2*y/5"
[forces]
x = "0.7*v_y"
y = "-0.7*v_x"
[initial]
x = 0.5
y = 0.4
p_x = 0.8
p_y = 0.6
)toml"};

class WorklessForces : public testing::TestWithParam<const char*> {};

TEST_P(WorklessForces, ComeBackWithEverySymmetricMethod) {
  Runner<double> runner(kGyroscopic, GetParam());
  const auto begin = runner.start();
  auto z = begin;
  const double energy = test::energy(runner.system, z);
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(runner.step(z, 0.02)) << k;
  EXPECT_GT(test::distance(z, begin), 0.1);
  EXPECT_NEAR(test::energy(runner.system, z), energy, 1e-4);
  EXPECT_LE(std::abs(z->s.back()), 1e-15);
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(runner.step(z, -0.02)) << k;
  EXPECT_LE(test::distance(z, begin), 2e-14);
}

INSTANTIATE_TEST_SUITE_P(All, WorklessForces,
                         testing::Values("rattle", "lobatto:3", "implicit-midpoint", "gauss:2", "gauss:4"),
                         [](const auto& method) {
                           std::string name(method.param);
                           for (char& c : name)
                             if (c == ':' || c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace cotangent
