#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/integrator/rattle/implicit_rattle.hpp"
#include "cotangent/manifold/saddle_matrix.hpp"
#include "cotangent/system/legendre/legendre.hpp"
#include "tests/integrator/runner.hpp"

// The work per step of a chain of heavy rods, whose L_vv couples neighbours and whose R = G M^-1 G' is full, is
// proportional to its length: what is counted here are iterations, which must not depend on it, and entries of factors,
// which must grow with it and no faster.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

Mechanism heavy_chain(int N) {
  return {"heavy_chain", "[parameters]\nN = " + std::to_string(N) + R"toml(
[system]
coordinates = ["r[N,2]"]
lagrangian = """sum(i in 2..N, (norm2(v_r[i]) + dot(v_r[i], v_r[i-1]) + norm2(v_r[i-1]))/6 - (r[i,2] + r[i-1,2])/2)
                + norm2(v_r[1])/6 - r[1,2]/2"""
[constraints]
anchor = "norm2(r[1]) = 1"
rod = { each = "i in 2..N", equation = "norm2(r[i] - r[i-1]) = 1" }
[initial]
r = "if(j == 1, i, 0)"
v_r = 0
)toml"};
}

// Of steps along the same stretch of motion: the anchored end falls, the rest does not know yet how long it is.
struct Work {
  std::int64_t iterations = 0, evaluations = 0;
};

Work work_of_steps(Integrator<double>& method, Point<double> z) {
  Work work;
  for (int k = 0; k < 8; ++k) {
    const auto report = method.step(z, 0.01);
    EXPECT_EQ(report.status, StepStatus::ok) << describe(report.status);
    work.iterations += report.iterations;
    work.evaluations += report.evaluations;
  }
  return work;
}

TEST(HeavyChain, NeedsIterationsThatDoNotDependOnItsLength) {
  std::vector<Work> explicit_kicks, implicit;
  for (const int N : {30, 300, 3000}) {
    Runner<double> runner(heavy_chain(N));
    explicit_kicks.push_back(work_of_steps(*runner.integrator, runner.start()));
    ImplicitRattle<double> method(runner.manifold);
    implicit.push_back(work_of_steps(method, runner.start()));
  }
  for (const auto& works : {explicit_kicks, implicit}) {
    EXPECT_GT(works[0].iterations, 0);
    // 8 steps; rounding errors may cost some step of a longer chain one iteration more.
    EXPECT_LE(works[1].iterations, works[0].iterations + 8);
    EXPECT_LE(works[2].iterations, works[0].iterations + 8);
    EXPECT_LE(works[2].evaluations, works[0].evaluations + 8);
  }
}

TEST(HeavyChain, HasFactorsOfLinearSize) {
  std::vector<std::int64_t> entries;
  for (const int N : {100, 1000, 10000}) {
    Runner<double> runner(heavy_chain(N));
    entries.push_back(SaddleMatrix<double>(runner.system).entries_of_L());
    // The masses of each component are a path, which elimination leaves as it is.
    OffDiagonal places;
    for (const auto& [row, column] : runner.system.legendre()->mass_entries())
      if (row > column) places.emplace_back(static_cast<int>(row), static_cast<int>(column));
    EXPECT_EQ(places.size(), 2U * (static_cast<std::size_t>(N) - 1));
    EXPECT_EQ(LinearSolver<double>(2 * N, places).kind(), LinearSolverKind::chain);
  }
  // Per link, up to what the ends differ.
  EXPECT_GE(entries[0], 100 * 3);
  EXPECT_LE(entries[0], 100 * 30);
  EXPECT_NEAR(static_cast<double>(entries[1] - entries[0]) / 900, static_cast<double>(entries[2] - entries[1]) / 9000,
              0.5);
}

}  // namespace
}  // namespace cotangent
