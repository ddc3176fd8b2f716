#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/integrator/method_contract.hpp"

// Runs of up to 10^8 steps: the energy error of a symplectic method stays where it is, but for the random walk of
// rounding errors, and residuals stay at rounding level. What is found is recorded in docs/long-runs.md.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

struct LongRun {
  std::string method;
  Problem problem;
  double h;
  std::int64_t steps;
  std::string formulation = "";
};

struct Energies {
  std::vector<double> means;  // of H over windows, spread evenly over the run
  double oscillation = 0;     // of H within a window
  double size = 0;            // of the kinetic energy
  double g = 0, psi = 0;      // the largest residuals within windows
};

constexpr int kWindows = 11;
constexpr std::int64_t kWindow = 40000;

// The energy error of a method oscillates; what interests is its mean. Weights (1 - cos)^2 make the mean over a window
// of K steps forget an oscillation of frequency w as (w K h)^-5.
Energies follow(const LongRun& run) {
  MethodRunner<double> s(run.method, run.problem, test::fastest(), run.formulation);
  auto z = test::start<double>(run.problem);
  const double H0 = test::energy(s.instance.system, z);
  Energies found;
  std::int64_t done = 0;
  for (int w = 0; w < kWindows; ++w) {
    const std::int64_t begin = (run.steps - kWindow) / (kWindows - 1) * w;
    std::int64_t made = 0;
    EXPECT_TRUE(is_ok(s.integrator->advance(z, run.h, begin - done, made))) << done + made;
    done = begin;
    double sum = 0, weights = 0, low = 0, high = 0;
    for (std::int64_t k = 0; k < kWindow; ++k, ++done) {
      const double x = 1 - std::cos(2 * std::numbers::pi * (static_cast<double>(k) + 0.5) / kWindow);
      const double e = test::energy(s.instance.system, z) - H0;
      sum += x * x * e;
      weights += x * x;
      low = std::min(low, e);
      high = std::max(high, e);
      if (k % 64 == 0 && s.instance.m() > 0) {
        found.g = std::max(found.g, s.instance.manifold.position_residual(z->q.data(), 0).value);
        found.psi = std::max(found.psi, s.instance.manifold.momentum_residual(z).value);
      }
      EXPECT_TRUE(is_ok(s.step(z, run.h)));
      if (testing::Test::HasFailure()) return found;
    }
    found.means.push_back(sum / weights);
    found.oscillation = std::max(found.oscillation, high - low);
  }
  for (const double p : z->p) found.size += p * p / 2;
  found.size = std::max(found.size, std::abs(H0));
  return found;
}

// The slope of a line through the means, times the length of the run.
double drift(const Energies& found) {
  const double n = kWindows, middle = (n - 1) / 2;
  double slope = 0, square = 0;
  for (int k = 0; k < kWindows; ++k) {
    slope += (k - middle) * found.means[static_cast<std::size_t>(k)];
    square += (k - middle) * (k - middle);
  }
  return slope / square * (n - 1);
}

// A step makes an error of about epsilon times the energy, of random sign.
double random_walk(const LongRun& run, const Energies& found) {
  return 2.2e-16 * found.size * std::sqrt(static_cast<double>(run.steps));
}

void report(const LongRun& run, const Energies& found) {
  EXPECT_LE(found.g, 1e-15 * found.size + 1e-15);
  EXPECT_LE(found.psi, 4e-15 * found.size + 4e-15);
  std::printf("%s: %.0e steps, oscillation %.1e, drift of the mean %.1e, random walk %.1e, |g| %.1e, |psi| %.1e\n",
              run.method.c_str(), static_cast<double>(run.steps), found.oscillation, drift(found),
              random_walk(run, found), found.g, found.psi);
}

void expect_no_drift(const LongRun& run) {
  const Energies found = follow(run);
  ASSERT_EQ(found.means.size(), static_cast<std::size_t>(kWindows));
  const double walk = random_walk(run, found);
  EXPECT_LE(std::abs(drift(found)), 5 * walk);
  for (const double mean : found.means) EXPECT_LE(std::abs(mean - found.means.front()), 5 * walk);
  report(run, found);
}

TEST(SlowLongRuns, OfRattleOnThePendulumHaveNoDrift) {
  expect_no_drift({"rattle", test::problem("pendulum"), 0.02, 100'000'000});
}

// This motion is chaotic: means over windows differ, as the error of the energy depends on where the chain is, by far
// more than rounding errors; but they do not drift.
TEST(SlowLongRuns, OfRattleOnAChainOfTenHaveNoDrift) {
  const LongRun run{"rattle", test::chain(10), 0.005, 10'000'000};
  const Energies found = follow(run);
  EXPECT_LE(std::abs(drift(found)), 0.02 * found.oscillation);
  report(run, found);
}

TEST(SlowLongRuns, OfGaussHaveNoDrift) {
  for (const char* formulation : {"direct", "state-space"})
    expect_no_drift({"gauss:4", test::problem("pendulum"), 0.02, 1'000'000, formulation});
}

// The same measurement finds the drift of a method that is not symplectic.
TEST(LongRuns, OfOtherMethodsDrift) {
  const LongRun run{"rk4", test::problem("free"), 0.05, 1'000'000};
  const Energies found = follow(run);
  EXPECT_GT(std::abs(drift(found)), 100 * random_walk(run, found));
}

}  // namespace
}  // namespace cotangent
