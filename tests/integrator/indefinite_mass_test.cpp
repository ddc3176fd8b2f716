#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cotangent/manifold/redundancy.hpp"
#include "tests/integrator/runner.hpp"

// H_pp that is not positive, but regular across the constraints: multipliers are determined, and methods that need
// nothing else integrate the motion.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

std::string model(const std::string& coordinates, const std::string& rest) {
  return "[system]\ncoordinates = " + coordinates + "\n" + rest;
}

const Mechanism kPendulum{"pendulum", model(R"(["x", "y"])", R"toml(
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0.5
)toml")};

const Mechanism kNegative{"negative", model(R"(["x", "y"])", R"toml(
hamiltonian = "-(p_x^2 + p_y^2)/2 - y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0.5
)toml")};

// Across the first constraint H_pp is positive, across the second it is negative near the start.
const Mechanism kIndefinite{"indefinite", model(R"(["x", "y", "z"])", R"toml(
hamiltonian = "(p_x^2 - p_y^2 + p_z^2)/2 + x + y^2 + z"
[constraints]
a = "x^2 + z^2 = 1"
b = "y = 0.3*x^2"
[initial]
x = 1
y = 0.3
z = 0
p_x = 0
p_y = 0
p_z = 0.5
)toml")};

// Across the circle H_pp is negative where |x| > |y|, and positive elsewhere.
const Mechanism kTurning{"turning", model(R"(["x", "y"])", R"toml(
hamiltonian = "(p_y^2 - p_x^2)/2"
[constraints]
circle = "x^2 + y^2 = 1"
[initial]
x = 0.8
y = 0.6
p_x = 1
p_y = 1.3333333333333333
)toml")};

// G H_pp G' = 0, and G is regular.
const Mechanism kCancelling{"cancelling", model(R"(["x", "y"])", R"toml(
hamiltonian = "(p_x^2 - p_y^2)/2 + x^2"
[constraints]
line = "x = y"
[initial]
x = 1
y = 1
p_x = 0.5
p_y = -0.5
)toml")};

const char* const kMethods[] = {"rattle", "shake", "gauss:2", "lobatto:3", "hem4", "dop853", "project:both(rk4)"};

// The flow of -H is that of H backwards.
TEST(IndefiniteMass, ANegativeHamiltonianGoesBackInTime) {
  for (const char* method : kMethods) {
    Runner<double> runner(kNegative, method), mirror(kPendulum, method);
    auto z = runner.start(), Z = mirror.start();
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(runner.step(z, 0.01) && mirror.step(Z, -0.01)) << method;
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(z->q[j], Z->q[j], 1e-13) << method;
      EXPECT_NEAR(z->p[j], Z->p[j], 1e-13) << method;
    }
    EXPECT_TRUE(runner.notes.empty());
    EXPECT_TRUE(runner.manifold.matrix().dependent(z).empty()) << "the rod has a gradient";
  }
}

TEST(IndefiniteMass, IsIntegratedWhereItIsRegularAcrossTheConstraints) {
  Runner<double> fine(kIndefinite, "hem5");
  const auto expected = fine.run(200, 0.5);
  for (const char* method : kMethods) {
    Runner<double> runner(kIndefinite, method);
    const auto z = runner.run(100, 0.5);
    const double tolerance = runner.integrator->facts().order == 2 ? 1e-4 : 1e-8;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(z->q[j], expected->q[j], tolerance) << method;
    const auto g = runner.manifold.position_residual(z->q.data(), 0.0);
    EXPECT_LE(g.value, 100 * g.level + (std::string(method) == "dop853" ? 1e-8 : 0)) << method;
    EXPECT_TRUE(runner.manifold.matrix().dependent(z).empty()) << "no constraint follows from the other";
  }
}

TEST(IndefiniteMass, IsToBlameWhereItIsSingularAcrossTheConstraints) {
  Runner<double> runner(kCancelling, "rattle");
  EXPECT_TRUE(runner.notes.empty()) << "no momentum is free: velocities depend on all";
  auto z = runner.start();
  EXPECT_EQ(runner.integrator->step(z, 0.01).status, StepStatus::singular_constraints);
  EXPECT_TRUE(is_mass_singular<double>(runner.manifold, z));
  Runner<double> regular(kIndefinite, "rattle");
  EXPECT_FALSE(is_mass_singular<double>(regular.manifold, regular.start()));
  EXPECT_FALSE(is_mass_singular_ahead<double>(regular.manifold, regular.start(), 0.01));
  // G H_pp G' = 4 (y^2 - x^2) changes its sign where x = y.
  Runner<double> turning(kTurning, "rattle");
  const auto begin = turning.start();
  EXPECT_TRUE(is_mass_singular_ahead<double>(turning.manifold, begin, 0.2));
  EXPECT_FALSE(is_mass_singular_ahead<double>(turning.manifold, begin, 0.05));
}

}  // namespace
}  // namespace cotangent
