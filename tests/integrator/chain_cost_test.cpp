#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tests/integrator/runner.hpp"
#include "tests/support/problems.hpp"

// The work of implicit methods in a step of a chain is proportional to its length: an evaluation of the field is, and
// here iterations and evaluations are counted, which must not grow with it.

namespace cotangent {
namespace {

using test::Runner;

constexpr int kSteps = 4;

struct Work {
  std::int64_t iterations = 0, evaluations = 0;
};

// A chain that is held at one end, straight, and let go.
test::Mechanism released_chain(int N) {
  const std::string text = test::chain(N).text;
  return {"chain", text.substr(0, text.find("[initial]")) + "[initial]\nx = \"i\"\ny = 0\np_x = 0\np_y = 0\n"};
}

Work work(const std::string& method, int N) {
  Runner<double> runner(released_chain(N), method, Backend::jit);
  auto z = runner.start();
  Work sum;
  for (int k = 0; k < kSteps; ++k) {
    const auto report = runner.integrator->step(z, 0.01);
    EXPECT_EQ(report.status, StepStatus::ok) << describe(report.status) << ", N = " << N;
    sum.iterations += report.iterations;
    sum.evaluations += report.evaluations;
  }
  return sum;
}

TEST(ChainCost, IterationsDoNotGrowWithTheLength) {
  for (const auto& [method, stages] : {std::pair{"gauss:4", 4}, {"lobatto:3", 3}}) {
    const Work shorter = work(method, 100), longer = work(method, 1000);
    EXPECT_GT(shorter.iterations, 0);
    // Rounding errors of long chains may cost an iteration in a step, and one more look at its stages.
    EXPECT_LE(longer.iterations, shorter.iterations + kSteps) << method;
    EXPECT_LE(longer.evaluations, shorter.evaluations + 2 * stages * kSteps) << method;
    // Even a short chain, of which all masses are near the end that is held, is hardly cheaper.
    EXPECT_LE(longer.iterations, 2 * work(method, 10).iterations) << method;
  }
}

// The rods of a chain that falls freely have no tension: the guess of a step is right. Its drift, which only tries that
// guess, is all there is.
TEST(ChainCost, RattleCorrectsNothingWhereItsGuessIsRight) {
  const test::Mechanism falling{"falling_chain", R"toml(
[parameters]
N = 37
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i])"
[constraints]
rod = { each = "i in 2..N", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }
[initial]
x = "i"
y = 0
p_x = 0.5
p_y = 0
)toml"};
  constexpr double h = 0.015625;
  constexpr int steps = 256;
  for (const auto backend : {Backend::interpreter, Backend::jit}) {
    Runner<double> runner(falling, "rattle", backend);
    auto z = runner.start();
    for (int k = 1; k <= steps; ++k) {
      const auto report = runner.integrator->step(z, h);
      ASSERT_EQ(report.status, StepStatus::ok);
      EXPECT_EQ(report.iterations, 2) << "one look at g, and one at its rate";
    }
    // The parabola, which leapfrog steps follow exactly: all numbers are multiples of powers of 2.
    constexpr double t = h * steps;
    for (std::size_t i = 0; i < 37; ++i) {
      EXPECT_EQ(z->q[i], static_cast<double>(i + 1) + t / 2);
      EXPECT_EQ(z->q[37 + i], -t * t / 2);
      EXPECT_EQ(z->p[i], 0.5);
      EXPECT_EQ(z->p[37 + i], -t);
    }
  }
}

}  // namespace
}  // namespace cotangent
