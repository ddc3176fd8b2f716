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

}  // namespace
}  // namespace cotangent
