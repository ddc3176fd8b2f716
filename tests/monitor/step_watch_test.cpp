#include "cotangent/integrator/step_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/monitor/registry.hpp"
#include "tests/integrator/runner.hpp"

// What steps see where they end is what somebody sees who stops there, and steps that look have the digits of others.

namespace cotangent {
namespace {

using test::Runner;

Backend fastest() { return has_jit() ? Backend::jit : Backend::interpreter; }

// @return how many steps the method has watched, of those that it could make at once.
template <class T>
std::int64_t compare(const test::Mechanism& mechanism, Backend backend, T h, int strides) {
  Runner<T> watched(mechanism, "rattle", backend), looked_at(mechanism, "rattle", backend);
  if (!watched.integrator->can_watch()) return 0;
  MonitorSet<T> monitors({"energy", "position", "momentum"}, looked_at.manifold);
  EXPECT_TRUE(monitors.can_take_watch());
  Point<T> z = watched.start(), Z = looked_at.start();
  monitors.start(Z);
  StepWatch<T> watch = monitors.watch();
  std::int64_t at_once = 0;
  for (int k = 0; k < strides; ++k) {
    std::int64_t done = 0;
    EXPECT_EQ(watched.integrator->advance_watched(z, h, 90, done, watch).status, StepStatus::ok);
    at_once += done;
    T worst_condition(0);
    for (std::int64_t step = 0; step < done; ++step) {
      if (!looked_at.step(Z, h)) return 0;
      monitors.observe(Z);
      EXPECT_TRUE(looked_at.manifold.matrix().factor(Z).regular);
      worst_condition = std::max(worst_condition, looked_at.manifold.matrix().condition());
    }
    const std::string where = mechanism.name + ", stride " + std::to_string(k) + " of " + std::to_string(done);
    for (std::size_t number = 0; number < StepWatch<T>::kNumbers && done > 0; ++number) {
      EXPECT_EQ(watch.last[number], monitors.list()[number]->signal()) << where << ", number " << number;
      EXPECT_EQ(watch.largest[number], monitors.list()[number]->largest()) << where << ", number " << number;
    }
    // Rows are eliminated in another order: the pivots differ, but not by more than a small system lets them.
    if (done > 0) {
      EXPECT_LE(worst_condition, T(100) * watch.condition) << where;
    }
    // A step that the loop cannot make.
    if (!watched.step(z, h) || !looked_at.step(Z, h)) return 0;
    monitors.observe(Z);
    for (std::size_t number = 0; number < StepWatch<T>::kNumbers; ++number)
      watch.largest[number] = monitors.list()[number]->largest();
    EXPECT_EQ(z->q, Z->q) << where;
    EXPECT_EQ(z->p, Z->p) << where;
    EXPECT_EQ(z->q_low, Z->q_low) << where;
    EXPECT_EQ(z->p_low, Z->p_low) << where;
    if (testing::Test::HasFailure()) return 0;
  }
  return at_once;
}

TEST(StepWatch, SeesWhatMonitorsSee) {
  int systems = 0;
  for (const auto& mechanism : test::all_systems())
    for (const double h : {0.003, 0.03})
      if (compare<double>(mechanism, fastest(), h, 8) > 200) ++systems;
  EXPECT_GE(systems, 4);
}

TEST(StepWatch, SeesTheSameInTheInterpreterAndInQuad) {
  int systems = 0;
  for (const auto& mechanism : test::all_systems()) {
    if (compare<double>(mechanism, Backend::interpreter, 0.01, 8) > 0) ++systems;
    if (compare<Quad>(mechanism, Backend::interpreter, Quad(0.01), 8) > 0) ++systems;
  }
  EXPECT_GE(systems, 4);
}

}  // namespace
}  // namespace cotangent
