#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "tests/integrator/runner.hpp"

// Models whose functions are small differences of large numbers: what rounding leaves of them is more than their
// arguments tell, and steps are made nevertheless.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

// The bottom of a large circle.
Mechanism circle(double start) {
  return {.name = "circle", .text = R"toml(
[parameters]
R = 1000
a = )toml" + std::to_string(start) + R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 10*y"
[constraints]
c = "x^2 + (y - R)^2 = R^2"
[initial]
x = "a"
y = "R - sqrt(R^2 - a^2)"
p_x = 0
p_y = 0
)toml"};
}

Quad deviation(const PhasePoint<double>& z) {
  const Quad x = z.q[0], y = z.q[1];
  return fabsq(x * x + y * y - 2000 * y);
}

// An arm of so many links falls from rest. How angles far from its root change is 5e-15 of what is added up for it.
TEST(FallingArm, IsSteppedThoughAnglesAreRoundingErrors) {
  Runner<double> runner({.name = "arm", .text = R"toml(
[parameters]
N = 25
[definitions]
"angle[i]" = "if(i == 1, q[1], angle[i-1] + q[i])"
"rate[i]" = "if(i == 1, v_q[1], rate[i-1] + v_q[i])"
"height[i]" = "if(i == 0, 0, height[i-1] + sin(angle[i]))"
"velocity[i]" = "if(i == 0, [0, 0], velocity[i-1] + rate[i]*[-sin(angle[i]), cos(angle[i])])"
[system]
coordinates = ["q[N]"]
lagrangian = "sum(i in 1..N, norm2(velocity[i])/2 - height[i])"
[initial]
q = 0
v_q = 0
)toml"},
                        "rattle");
  auto z = runner.start();
  for (int k = 0; k < 100 && runner.step(z, 0.001); ++k) continue;
  EXPECT_NEAR(z->t, 0.1, 1e-12);
  // The free end falls with g = 1 as the others do but for what the root holds back.
  double angle = 0, height = 0;
  for (const double q : z->q) height += std::sin(angle += q);
  EXPECT_NEAR(height, -0.5 * 0.1 * 0.1, 1e-5);
}

class CircleWith : public testing::TestWithParam<const char*> {};

TEST_P(CircleWith, IsKeptToRounding) {
  for (const double start : {0.1, 1.0}) {
    Runner<double> runner(circle(start), GetParam());
    auto z = runner.start();
    const double unit = 0x1p-52 * 1e6;  // of (y - R)^2
    double largest = 0;
    for (int k = 0; k < 300 && runner.step(z, 0.05); ++k) {
      ASSERT_TRUE(runner.manifold.project_position(z.change()).converged);
      largest = std::max(largest, static_cast<double>(deviation(z)));
    }
    EXPECT_LE(largest, 8 * unit);
    // Numbers y are spaced more closely than y - R: half a unit of (y - R)^2 is what no step sees.
    EXPECT_GE(largest, 0.5 * unit / 64) << "no more can be asked of double precision";
    // x'' = -10 x / 1000 to first order: 15 of the 62.8 of a period.
    EXPECT_NEAR(z->q[0] / start, std::cos(1.5), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, CircleWith,
                         testing::Values("rattle", "shake", "lobatto:3", "gauss:2", "rk4", "symmetric(gauss:2)",
                                         "hem4"),
                         [](const auto& each) {
                           std::string name;
                           for (const char letter : std::string(each.param))
                             if (std::isalnum(static_cast<unsigned char>(letter)) != 0) name += letter;
                           return name;
                         });

// H = p^2/2 + 1 - cos a: one part in 10^16 of 1 is much of H where a is small.
TEST(DiscreteGradients, KeepEnergiesThatAreSmallDifferences) {
  for (const double amplitude : {1.0, 0.1, 0.03, 0.01, 6e-3, 3e-3, 1e-3, 3e-4, 1e-4, 1e-6, 1e-9}) {
    for (const double h : {0.01, 0.05, 0.2, 0.5}) {
      Runner<double> runner({.name = "angle", .text = R"toml(
[system]
coordinates = ["a"]
hamiltonian = "p_a^2/2 + 1 - cos(a)"
[initial]
a = 0
p_a = 0
)toml"},
                            "gonzalez");
      auto z = runner.start();
      z.change().q[0] = amplitude;
      z.forget();
      const auto energy = [&] {
        const Quad a = z->q[0], p = z->p[0];
        return p * p / 2 + 2 * sinq(a / 2) * sinq(a / 2);
      };
      const Quad given = energy();
      double largest = 0, reached = 0;
      for (int k = 0; k < 1000; ++k) {
        ASSERT_TRUE(runner.step(z, h)) << "amplitude " << amplitude << ", step " << h << ", at " << k;
        largest = std::max(largest, static_cast<double>(fabsq(energy() - given)));
        reached = std::max(reached, -z->q[0]);
      }
      // What certificates permit after so many steps, of terms that are 1 and a^2.
      const double level = (100 + 3 * std::sqrt(1000)) * 0x1p-52 * (1 + amplitude * amplitude);
      EXPECT_LE(largest, level) << amplitude << " " << h;
      EXPECT_NEAR(reached / amplitude, 1, 0.05) << "the motion is that of the pendulum, be it small";
    }
  }
}

}  // namespace
}  // namespace cotangent
