#include <gtest/gtest.h>

#include <string>

#include "cotangent/model/reader.hpp"
#include "tests/monitor/followed_run.hpp"

// Tangents of systems that are not Hamiltonian: states count, and lengths and areas go beyond the range of numbers.

namespace cotangent {
namespace {

using test::Extent;
using test::ModelRun;

// With friction all vectors become shorter, far beyond the range of numbers.
TEST(TangentFlows, FollowFrictionBeyondTheRangeOfNumbers) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 + x^2)/2\"\ndissipation = \"0.75*v_x^2\"\n"
      "[initial]\nx = 1\np_x = 0\n",
      "text");
  ModelRun run(model, "rk4", 0.1);
  auto& flow = run.add(Extent::one_pair);
  run.go(12000);
  ASSERT_FALSE(flow.loss()) << flow.loss()->why;
  EXPECT_NEAR(flow.log_growth() / 1200, -0.75, 0.002);
  EXPECT_EQ(flow.area(), 0) << "exp(-1800)";
}

// The variables of Lorenz's system are states; its largest exponent is 0.906. A pair has nothing of it.
TEST(TangentFlows, CountStates) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"d\"]\nstates = [\"X\", \"Y\", \"Z\"]\nhamiltonian = \"p_d^2/2 + d^2/2\"\n"
      "[equations]\nX = \"10*(Y - X)\"\nY = \"X*(28 - Z) - Y\"\nZ = \"X*Y - 8/3*Z\"\n"
      "[initial]\nd = 1\np_d = 0\nX = 1\nY = 2\nZ = 20\n",
      "text");
  ModelRun run(model, "rk4", 0.01);
  auto& neighbour = run.add(Extent::neighbour);
  auto& pair = run.add(Extent::one_pair);
  run.go(40000);
  ASSERT_FALSE(neighbour.loss() || pair.loss());
  EXPECT_NEAR(neighbour.log_growth() / 400, 0.906, 0.02);
  EXPECT_NEAR(pair.log_growth() / 400, 0, 0.01);
  EXPECT_NEAR(pair.area(), 1, 1e-7) << "of the oscillator beside them";
}

// Neighbours on a limit cycle keep their distance along it and lose all others, beyond the range of numbers; the work
// done does not come nearer to that of a neighbour.
TEST(TangentFlows, FollowLimitCyclesBeyondTheRangeOfNumbers) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 + x^2)/2\"\n"
      "[forces]\nx = \"5*(1 - x^2)*v_x\"\n[initial]\nx = 0.5\np_x = 0\n",
      "text");
  ModelRun run(model, "rk4", 0.02);
  auto& neighbour = run.add(Extent::neighbour);
  auto& pair = run.add(Extent::one_pair);
  auto& basis = run.add(Extent::basis);
  run.go(15000);
  ASSERT_FALSE(neighbour.loss() || pair.loss() || basis.loss());
  EXPECT_NEAR(neighbour.log_growth() / 300, 0, 0.02);
  EXPECT_NEAR(pair.log_growth() / 300, 0, 0.02);
  EXPECT_EQ(pair.area(), 0);

  ModelRun held(model, "rattle", 0.02, {.projection = Projection::none, .invariants = {"energy"}});
  auto& lost = held.add(Extent::one_pair);
  held.go(8000);
  ASSERT_TRUE(lost.loss()) << "H less the work done is returned to: the work counts";
  EXPECT_NE(lost.loss()->why.find("too long, or too short"), std::string::npos) << lost.loss()->why;
}

// What becomes too small for a number is not forgotten: friction that becomes a drive brings areas back.
TEST(TangentFlows, RememberAreasBeyondTheRangeOfNumbers) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 + x^2)/2\"\n"
      "[forces]\nx = \"-20*sin(pi*t/100)*v_x\"\n[initial]\nx = 0\np_x = 0\n",
      "text");
  ModelRun run(model, "rk4", 0.01);
  auto& flow = run.add(Extent::one_pair);
  run.go(10000);
  EXPECT_EQ(flow.area(), 0) << "exp(-4000/pi)";
  run.go(10000);
  ASSERT_FALSE(flow.loss());
  EXPECT_NEAR(flow.area(), 1, 0.01);
}

}  // namespace
}  // namespace cotangent
