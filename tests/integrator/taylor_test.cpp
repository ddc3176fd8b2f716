#include "cotangent/integrator/taylor/taylor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/kernel/backend.hpp"
#include "tests/integrator/method_contract.hpp"
#include "tests/integrator/runner.hpp"

// What the suites for all methods do not ask of Taylor methods: pieces, points inside steps, lengths that they propose.

namespace cotangent {
namespace {

using test::kJamming;
using test::MethodRunner;
using test::Runner;

TEST(TaylorOrder, FollowsFromTheTolerance) {
  EXPECT_EQ(taylor_order(0.1), 4);
  EXPECT_EQ(taylor_order(1e-2), 5);
  EXPECT_EQ(taylor_order(1e-6), 12);
  EXPECT_EQ(taylor_order(1e-8), 15);
  EXPECT_EQ(taylor_order(1e-12), 22);
  EXPECT_EQ(taylor_order(1e-30), 53);
  EXPECT_EQ(find_method<double>("taylor").facts.order, 20);
  Runner<double> runner(test::Mechanism{"pendulum", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
)toml"});
  EXPECT_EQ(find_method<double>("taylor").make(runner.manifold, {}, {}, {.tolerance = 1e-8})->facts().name,
            "taylor:15");
  EXPECT_EQ(find_method<double>("taylor:5").make(runner.manifold, {}, {}, {.tolerance = 1e-8})->facts().order, 5);
  EXPECT_THROW(find_method<double>("taylor:1"), std::invalid_argument);
  EXPECT_THROW(find_method<double>("taylor:41"), std::invalid_argument);
}

TEST(Taylor, RefusesWhatHasNoCoefficients) {
  Runner<double> friction(kJamming);
  EXPECT_THROW(find_method<double>("taylor").make(friction.manifold), std::invalid_argument);
  EXPECT_THROW(find_method<double>("taylor").make(friction.manifold, "standard", {.stage_projection = Metric::mass}),
               std::invalid_argument);
}

// q' = p, p' = -sign(q): pieces of parabolas, with the period 4 sqrt(2 q_0) = 4.
const test::Mechanism kRoof{"roof", R"toml(
[system]
coordinates = ["q"]
hamiltonian = "p_q^2/2 + abs(q)"
[initial]
q = "1/2"
p_q = 0
)toml"};

TEST(Taylor, FollowsPiecesToRounding) {
  Runner<double> roof(kRoof, "taylor:4");
  const auto z = roof.run(30, 10);
  EXPECT_NEAR(z->t, 10, 1e-13);
  EXPECT_NEAR(z->q[0], -0.5, 1e-12);
  EXPECT_NEAR(z->p[0], 0, 5e-12);
  // A method that knows nothing of them.
  Runner<double> rk4(kRoof, "rk4");
  EXPECT_GT(std::abs(rk4.run(30, 10)->q[0] + 0.5), 1e-4);
  // Backwards.
  Runner<double> back(kRoof, "taylor:4");
  EXPECT_NEAR(back.run(30, -10)->q[0], -0.5, 1e-12);
}

TEST(Taylor, StartsAtTheEndOfAPiece) {
  const test::Mechanism switched{"switched", R"toml(
[system]
coordinates = ["q"]
hamiltonian = "p_q^2/2 + if(q < 0, 2*q^2, q^2/2)"
[initial]
q = 0
p_q = -1
)toml"};
  test::Mechanism rising = switched;
  rising.text.replace(rising.text.find("p_q = -1"), 8, "p_q = 1");
  // Half a period on the left is pi/2, on the right pi.
  Runner<double> falls(switched, "taylor:15"), rises(rising, "taylor:15");
  const auto left = falls.run(6, M_PI / 2), right = rises.run(6, M_PI);
  EXPECT_NEAR(left->q[0], 0, 1e-11);
  EXPECT_NEAR(left->p[0], 1, 1e-11);
  EXPECT_NEAR(right->q[0], 0, 1e-11);
  EXPECT_NEAR(right->p[0], -1, 1e-11);
}

// It slides along the end of a piece.
TEST(Taylor, ComesThroughPiecesWithoutEnd) {
  const test::Mechanism sliding{"sliding", R"toml(
[system]
states = ["x"]
[equations]
x = "if(x < 0, 1, -1)"
[initial]
x = 0.5
)toml"};
  Runner<double> runner(sliding, "taylor:4");
  const auto z = runner.run(10, 2);
  EXPECT_NEAR(z->s[0], 0, 0.21);
}

template <class T>
T distance(const PhasePoint<T>& a, const PhasePoint<T>& b) {
  T largest(0);
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
    for (std::size_t j = 0; j < (a.*part).size(); ++j) largest = max(largest, abs((a.*part)[j] - (b.*part)[j]));
  return largest;
}

// Lagrangians, masses that depend on q, moving constraints, forces, friction of velocities, states, redundant rows: the
// same motion as that of another method, with the work done.
TEST(Taylor, FollowsEveryMechanism) {
  int followed = 0;
  for (const test::Mechanism& mechanism : test::mechanisms()) {
    if (mechanism.name == "friction") continue;  // refused
    SCOPED_TRACE(mechanism.name);
    Runner<double> series(mechanism, "taylor:20"), odex(mechanism, "odex:8");
    const Point<double> end = series.run(10, 0.5), expected = odex.run(20, 0.5);
    EXPECT_LE(distance(end.state(), expected.state()), 1e-11);
    EXPECT_GT(distance(end.state(), series.start().state()), 1e-2);
    ++followed;
  }
  EXPECT_GE(followed, 12);
}

// As many links as are written out, taken one by one, in vectors, and in several blocks; the other end is held, too.
test::Mechanism chain(int links) {
  return {"chain of " + std::to_string(links), R"toml(
[parameters]
N = )toml" + std::to_string(links) + R"toml(
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/(2 + sin(i)) + y[i] + cos(x[i])/10) + sqrt(1 + x[1]^2)/abs(1 + x[N])"
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = { each = "i in 2..N", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }
[initial]
x = "i"
y = 0
p_x = 0
p_y = 0
)toml"};
}

// Everything that has a rule of its own, by one, a few and many instances.
const test::Mechanism kFunctions{"functions", R"toml(
[parameters]
N = 21
[system]
states = ["x[N]", "a", "b"]
[equations]
x = "sin(x[i])*exp(-x[i]) + tan(x[i]/4) - x[i]^3/(1 + x[i]^2) + sqrt(2 + x[i]) + 1/(x[i] + 3) - atan2(x[i], 2 + a) + log(4 + x[i])"
a = "if(b < 1, a^2 - b, a - b^2) + abs(a - 1/3) + max(a, b) - min(a*b, 1/2) + tanh(a)*cosh(b/2) - sinh(a/3)"
b = "(2 + a)^(1/3) + (2 + b)^a + erf(a - b) - erfc(b) + asin(a/3) + acos(b/3) - atan(a*b) + floor(3*b) - sign(a)*t"
[initial]
x = "1/i"
a = 0.3
b = 0.2
)toml"};

// Machine code gives the bits that interpretation gives, whatever the number of instances and the order.
TEST(Taylor, TakesTheSameStepsAsMachineCode) {
  if (!has_jit()) GTEST_SKIP() << "without LLVM";
  std::vector<test::Mechanism> systems = test::all_systems();
  for (const int links : {1, 2, 3, 4, 10, 70, 135}) systems.push_back(chain(links));
  systems.push_back(kFunctions);
  systems.push_back(kRoof);
  int compared = 0;
  for (const test::Mechanism& mechanism : systems) {
    if (mechanism.name == "friction") continue;  // refused
    SCOPED_TRACE(mechanism.name);
    for (const char* method : {"taylor:2", "taylor:9"}) {
      Runner<double> interpreted(mechanism, method), compiled(mechanism, method, Backend::jit);
      const Point<double> expected = interpreted.run(3, 0.01), end = compiled.run(3, 0.01);
      for (const auto part : {&PhasePoint<double>::q, &PhasePoint<double>::p, &PhasePoint<double>::s,
                              &PhasePoint<double>::q_low, &PhasePoint<double>::p_low, &PhasePoint<double>::s_low})
        EXPECT_EQ(end.state().*part, expected.state().*part) << method;
      EXPECT_NE(end.state().t, 0);
      ++compared;
    }
  }
  EXPECT_GE(compared, 2 * 30);
}

// Steps of the lengths that the method proposes keep the tolerance that they are proposed for, and no more than that.
TEST(Taylor, ProposesStepsThatSuitTheTolerance) {
  for (const char* name : {"double_pendulum", "spherical_metric", "relativistic", "kepler", "driven_rotation"}) {
    const test::Problem& problem = test::problem(name);
    for (const double tolerance : {1e-5, 1e-10}) {
      const std::string method = "taylor:" + std::to_string(taylor_order(tolerance));
      MethodRunner<Quad> runner(method, problem), exact("taylor:36", problem);
      runner.integrator->tolerate({.relative = tolerance});
      Point<Quad> z = test::start<Quad>(problem), end, finer;
      const Quad h = runner.integrator->propose_length(z, Quad(100));
      ASSERT_LT(h, 100) << name;
      const auto report = runner.integrator->step(z, h, end);
      ASSERT_EQ(report.status, StepStatus::ok);
      EXPECT_LE(report.error, 1) << name;
      ASSERT_EQ(exact.integrator->step(z, h, finer).status, StepStatus::ok);
      const auto error = static_cast<double>(distance(end.state(), finer.state()));
      EXPECT_LE(error, 3 * tolerance) << name << ", " << tolerance;
      EXPECT_GE(error, 1e-4 * tolerance) << name << ", " << tolerance;
    }
  }
}

TEST(Taylor, KnowsPointsInsideSteps) {
  const test::Problem& problem = test::problem("double_pendulum");
  MethodRunner<Quad> runner("taylor:20", problem);
  const Point<Quad> z = test::start<Quad>(problem);
  Point<Quad> end;
  PhasePoint<Quad> inside;
  const Quad h = Quad(1) / 16;
  ASSERT_EQ(runner.integrator->step(z, h / 3, end).status, StepStatus::ok);
  ASSERT_EQ(runner.integrator->within(z, h / 3, inside).status, StepStatus::ok);
  EXPECT_EQ(static_cast<double>(distance(end.state(), inside)), 0);
  EXPECT_FALSE(MethodRunner<double>("rk4", problem).integrator->has_series());
}

// With a projection after every step. What is left is what residuals of the hidden constraint at rounding level do:
// work, about 1e-16 in a unit of time, under every method with that projection.
TEST(Taylor, KeepsTheEnergyOfAPendulumToRoundingForALongTime) {
  const test::Problem& problem = test::problem("pendulum");
  MethodRunner<double> runner("taylor:20", problem, test::fastest());
  const auto method =
      with_projection(std::move(runner.integrator), runner.instance.manifold, {.projection = Projection::both});
  auto z = test::start<double>(problem);
  const double H0 = test::energy(runner.instance.system, z);
  std::int64_t done = 0;
  constexpr double kStep = 0.1;  // where the series ends, terms are below rounding
  constexpr std::int64_t kSteps = 100000;
  double largest = 0;
  for (int part = 0; part < 10; ++part) {
    ASSERT_EQ(method->advance(z, kStep, kSteps / 10, done).status, StepStatus::ok);
    largest = std::max(largest, std::abs(test::energy(runner.instance.system, z) - H0));
  }
  // Steps that lost a unit in the last place of H each would have lost 2e-11.
  EXPECT_LE(largest, 2e-12);
  EXPECT_GT(largest, 1e-15);
}

}  // namespace
}  // namespace cotangent
