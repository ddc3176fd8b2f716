#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/finer_run.hpp"
#include "cotangent/monitor/level_watch.hpp"
#include "cotangent/monitor/octave_schedule.hpp"
#include "cotangent/monitor/reversal_probe.hpp"
#include "tests/monitor/make_map.hpp"
#include "tests/support/instance.hpp"

// Those that go along with a run, each with steps of its own.

namespace cotangent {
namespace {

StepMap<double> make_map(const std::string& problem, const std::string& method, const std::string& formulation = "",
                         Projection projection = Projection::none) {
  return test::make_map<double>(test::read(test::problem(problem)), method, formulation, {.projection = projection});
}

/// Makes steps and shows them to a follower.
void go(StepMap<double>& map, PhasePoint<double>& z, Follower<double>& follower, int steps, double h) {
  for (int k = 0; k < steps; ++k) {
    const PhasePoint<double> begin = z;
    ASSERT_TRUE(map.integrator->step(z, h).ok);
    follower.follow({begin, z, h});
  }
}

TEST(OctaveSchedules, PickSixStepsInEachOctave) {
  OctaveSchedule is_picked;
  int picked = 0;
  for (int k = 1; k <= 1 << 20; ++k) picked += is_picked() ? 1 : 0;
  EXPECT_GT(picked, 5 * 20);
  EXPECT_LT(picked, 7 * 20);
}

// Halving the step of a method of order r leaves 2^-r of its error.
TEST(FinerRuns, DifferByTheError) {
  for (const auto& [method, order] : {std::pair{"rattle", 2}, std::pair{"compose:4(rattle)", 4}}) {
    auto map = make_map("double_pendulum", method);
    auto z = test::start<double>(test::problem("double_pendulum"));
    FinerRun<double> finer(make_map("double_pendulum", method), 2);
    finer.start(z, 0.02);
    go(map, z, finer, 50, 0.02);
    const auto exact = [] {
      auto fine = make_map("double_pendulum", "gauss:6");
      auto end = test::start<double>(test::problem("double_pendulum"));
      for (int k = 0; k < 100; ++k) EXPECT_TRUE(fine.integrator->step(end, 0.01).ok);
      return end;
    }();
    const double error = std::max(largest_difference(z.q, exact.q), largest_difference(z.p, exact.p));
    ASSERT_TRUE(finer.error(z));
    EXPECT_NEAR(*finer.error(z) / (1 - std::pow(2, -order)) / error, 1, 0.05) << method;
    EXPECT_TRUE(finer.remark().empty());
    auto later = z;
    later.t += 1;
    EXPECT_FALSE(finer.error(later)) << "it knows nothing of other times";
  }
}

TEST(FinerRuns, AreNoNumbersOnceTheyAreLost) {
  auto map = make_map("pendulum", "rattle");
  auto z = test::start<double>(test::problem("pendulum"));
  FinerRun<double> finer(make_map("pendulum", "rattle"), 2);
  finer.start(z, 0.02);
  finer.follow({z, z, 1e9});
  ASSERT_TRUE(finer.error(z));
  EXPECT_TRUE(std::isnan(*finer.error(z)));
  EXPECT_FALSE(finer.remark().empty());
}

TEST(ReversalProbes, TellSymmetricMethodsFromOthers) {
  const auto defect = [](const char* method, const char* formulation, Projection projection) {
    auto map = make_map("double_pendulum", method, formulation, projection);
    auto z = test::start<double>(test::problem("double_pendulum"));
    ReversalProbe<double> probe(make_map("double_pendulum", method, formulation, projection));
    probe.start(z, 0.05);
    go(map, z, probe, 40, 0.05);
    EXPECT_GT(probe.count(), 20);
    EXPECT_EQ(probe.failed(), 0);
    return probe.defect();
  };
  EXPECT_LE(defect("rattle", "", Projection::none), 1e-13);
  EXPECT_LE(defect("gauss:2", "standard", Projection::none), 1e-13);
  EXPECT_GE(defect("rk4", "standard", Projection::none), 1e-9);
  EXPECT_GE(defect("gauss:2", "standard", Projection::both), 1e-11);
}

TEST(ReversalProbes, CountWhatCannotBeMade) {
  auto map = make_map("pendulum", "rattle");
  const auto z = test::start<double>(test::problem("pendulum"));
  ReversalProbe<double> probe(make_map("pendulum", "rattle"));
  probe.start(z, 0.05);
  probe.follow({z, z, 1e9});
  EXPECT_EQ(probe.count(), 1);
  EXPECT_EQ(probe.failed(), 1);
  EXPECT_EQ(probe.defect(), 0);
}

// Twice the energy, twice the level; and nothing is forgotten.
TEST(LevelWatches, KnowTheLargestLevels) {
  auto map = make_map("free", "stormer-verlet");
  auto z = test::start<double>(test::problem("free"));
  LevelWatch<double> levels(*map.manifold);
  levels.start(z, 0.1);
  const double first = levels.energy().last();
  EXPECT_GT(first, 0);
  for (double& p : z.p) p *= 100;
  z.t = 1;
  z.touch();
  levels.look(z);
  EXPECT_GT(levels.energy().last(), 1000 * first);
  EXPECT_EQ(levels.energy().first(), first);
  EXPECT_EQ(levels.energy().at(0), first);
  const double most = levels.energy().last();
  for (double& p : z.p) p = 0;
  z.t = 2;
  z.touch();
  levels.look(z);
  EXPECT_EQ(levels.energy().last(), most);
}

// A pendulum at rest, of mass 1 and length 1: the momenta are zero, but the impulses h of its weight and of its rod are
// added up in them, three in all with the sum of the forces, and G = (0, -2).
TEST(LevelWatches, KnowThatImpulsesAreRounded) {
  const Model model = read_model_text(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 0
y = -1
p_x = 0
p_y = 0
)toml",
                                      "rest");
  auto map = test::make_map<double>(model, "rattle");
  const auto z = test::converted<double>(test::given_point(model));
  LevelWatch<double> watch(*map.manifold);
  for (const double h : {0.01, 1e-5}) {
    watch.start(z, h);
    EXPECT_NEAR(watch.momentum().last() / (6 * h * epsilon<double>()), 1, 1e-12);
    EXPECT_NEAR(watch.position().last() / (2 * epsilon<double>()), 1, 1e-12);
  }
}

// 1 - cos a and (y - 1000)^2 are known to one part in 2^52 of their terms, however small they are.
TEST(LevelWatches, SeeConstantsInsideFunctions) {
  const Model model = read_model_text(R"toml(
[system]
coordinates = ["a", "x", "y"]
hamiltonian = "(p_a^2 + p_x^2 + p_y^2)/2 + 3*(1 - cos(a))"
[constraints]
circle = "x^2 + (y - 1000)^2 = 1000000"
[invariants]
I = "(1 - exp(a))*p_a"
[initial]
a = 1e-5
x = 0
y = 0
p_a = 2
p_x = 0
p_y = 0
)toml",
                                      "constants");
  auto map = test::make_map<double>(model, "rattle");
  const auto z = test::converted<double>(test::given_point(model));
  LevelWatch<double> watch(*map.manifold);
  watch.start(z, 1e-9);
  EXPECT_NEAR(watch.position().last() / epsilon<double>(), 4e6, 1);
  EXPECT_NEAR(watch.energy().last() / epsilon<double>(), 2 + 4 + 3, 1e-3);
  EXPECT_NEAR(watch.invariant("I").last() / epsilon<double>(), 4, 1e-3);
}

}  // namespace
}  // namespace cotangent
