#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "tests/integrator/runner.hpp"
#include "tests/support/unit_pendulum.hpp"

// Steps that do not resolve the fastest oscillations: h omega from 10 to 1000. A stiff spring moves nearly as a rod
// does, and the equations of the stages have to be solved where |r| says nothing about how far one is.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

Mechanism spring_pendulum(const std::string& k) {
  return {"spring_pendulum", "[parameters]\nk = " + k + R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + k*(sqrt(x^2 + y^2) - 1)^2/2 + y"
[initial]
x = "0.6*(1 + 0.8/k)"
y = "-0.8*(1 + 0.8/k)"
p_x = 0
p_y = 0
)toml"};
}

const Mechanism kRod{"rod", test::UnitPendulum{.x = "0.6", .y = "-0.8"}.text()};

constexpr int kSteps = 400;
constexpr double kEnd = 4;

double across(const PhasePoint<double>& z) { return z.q[0] * z.p[1] - z.q[1] * z.p[0]; }

double length_of(const PhasePoint<double>& z) { return std::hypot(z.q[0], z.q[1]); }

class StiffSpring : public testing::TestWithParam<std::string> {};

TEST_P(StiffSpring, MovesAsARodDoes) {
  const auto rod = Runner<double>(kRod, "lobatto:4").run(kSteps, kEnd);
  for (const std::string k : {"1e6", "1e8", "1e10"}) {
    Runner<double> runner(spring_pendulum(k), GetParam());
    auto z = runner.start();
    std::int64_t iterations = 0;
    for (int step = 0; step < kSteps; ++step) {
      const auto report = runner.integrator->step(z, kEnd / kSteps);
      ASSERT_EQ(report.status, StepStatus::ok) << GetParam() << ", k = " << k << ", step " << step;
      iterations += report.iterations;
      // The solution nearby: the spring is as long as its load asks for, give or take what a step does not resolve.
      ASSERT_NEAR(length_of(z), 1, 1e-4) << "k = " << k << ", step " << step;
    }
    EXPECT_LE(iterations, 12 * kSteps) << "k = " << k;
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(z->q[j], rod->q[j], 2e-5) << "k = " << k;
    // Along the spring momenta are what a step does not resolve.
    EXPECT_NEAR(across(z), across(rod), 2e-5) << "k = " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StiffSpring, testing::Values("radau-iia:3", "radau-iia:5", "gauss:2", "gauss:4"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name)
                             if (c == ':' || c == '-') c = '_';
                           return name;
                         });

// The stages are found to rounding: those of double are those of Quad.
TEST(StiffSpring, HasTheStagesOfHigherPrecision) {
  for (const char* method : {"radau-iia:3", "gauss:2", "implicit-midpoint"}) {
    const auto z = Runner<double>(spring_pendulum("1e8"), method).run(20, 0.2);
    const auto exact = Runner<Quad>(spring_pendulum("1e8"), method).run(20, 0.2Q);
    // Rounding errors of the length are k times as large in the force, and that many times h in the momenta.
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(z->q[j], static_cast<double>(exact->q[j]), 1e-12) << method;
      EXPECT_NEAR(z->p[j], static_cast<double>(exact->p[j]), 1e-9) << method;
    }
  }
}

// h c = 10: what is left of a stage comes back as the miss of a step back.
TEST(StiffFriction, IsUndoneByAStepBack) {
  const Mechanism damped{"damped", R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
dissipation = "500*v_x^2"
[initial]
x = 1
p_x = 0
)toml"};
  Runner<double> runner(damped, "gauss:2");
  auto z = runner.start();
  double miss = 0;
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(runner.step(z, 0.01));
    auto back = z;
    ASSERT_TRUE(runner.step(back, 0.01) && runner.step(back, -0.01));
    miss = std::max({miss, std::abs(back->q[0] - z->q[0]), std::abs(back->p[0] - z->p[0])});
  }
  EXPECT_LE(miss, 1e-14);
}

// Three rates, from 1e-5 to 1e4, that add up to zero: Robertson's reaction.
TEST(StiffStates, OfARobertsonReactionKeepTheirSum) {
  const Mechanism reaction{"reaction", R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2"
states = ["a", "b", "c"]
[equations]
a = "-0.04*a + 1e4*b*c"
b = "0.04*a - 1e4*b*c - 3e7*b^2"
c = "3e7*b^2"
[initial]
x = 0
p_x = 0
a = 1
b = 0
c = 0
)toml"};
  Runner<double> runner(reaction, "radau-iia:3");
  auto z = runner.start();
  for (int k = 0; k < 400; ++k) ASSERT_TRUE(runner.step(z, 0.1)) << z->t;
  EXPECT_NEAR(z->s[0] + z->s[1] + z->s[2], 1, 1e-13);
  // The values that tests of stiff solvers have at t = 40.
  EXPECT_NEAR(z->s[0], 0.7158, 5e-5);
  EXPECT_NEAR(z->s[1], 9.185e-6, 5e-9);
}

}  // namespace
}  // namespace cotangent
