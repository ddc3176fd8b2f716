#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/probe/map_probe.hpp"
#include "cotangent/monitor/probe/octave_schedule.hpp"
#include "cotangent/monitor/reference/finer_run.hpp"
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
void go(StepMap<double>& map, Point<double>& z, Follower<double>& follower, int steps, double h) {
  for (int k = 0; k < steps; ++k) {
    const Point<double> begin = z;
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

TEST(OctaveSchedules, PickFewOfLargeSystems) {
  const auto picked = [](std::int64_t size) {
    OctaveSchedule is_picked(size);
    int count = 0;
    for (int k = 1; k <= 1 << 20; ++k) count += is_picked() ? 1 : 0;
    return count;
  };
  EXPECT_EQ(picked(1024), 21);
  EXPECT_EQ(picked(1'000'000), 3);
}

// Two parts a and b of a step leave a^(r+1) + b^(r+1) of the error of a method of order r.
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
    const double error = std::max(largest_difference(z->q, exact->q), largest_difference(z->p, exact->p));
    ASSERT_TRUE(finer.error(z));
    EXPECT_NEAR(finer.error(z)->largest() / (1 - finer.error_left(order)) / error, 1, 0.05) << method;
    EXPECT_TRUE(finer.remark().empty());
    auto later = z;
    later.change().t += 1;
    EXPECT_FALSE(finer.error(later)) << "it knows nothing of other times";
  }
}

// A force that has the period of the step, and of half of it, looks constant to both: x runs away as t^2/2.
TEST(FinerRuns, SeeForcesThatLookAlikeToEqualSteps) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 - x*cos(40*pi*t)\"\n[initial]\nx = 0\np_x = 0\n",
      "forced");
  for (const auto& [method, order] : {std::pair{"rattle", 2}, std::pair{"rk4", 4}}) {
    auto map = test::make_map<double>(model, method);
    Point<double> z = make_initial_data(model, *map.manifold).z;
    FinerRun<double> finer(test::make_map<double>(model, method), 2);
    finer.start(z, 0.1);
    go(map, z, finer, 100, 0.1);
    EXPECT_NEAR(z->q[0], 50, 1) << "the truth is below 1e-4";
    const double estimate = finer.error(z)->q / (1 - finer.error_left(order));
    EXPECT_GT(estimate, 0.25 * 50) << method;
    EXPECT_LT(estimate, 2 * 50) << method;
  }
}

// What projections return to are invariants of the neighbour's own: its energy is none that the run has.
TEST(MapProbes, GiveNeighboursInvariantsOfTheirOwn) {
  const Model model = test::read(test::problem("pendulum"));
  const ProjectionPolicy policy{.projection = Projection::both, .invariants = {"energy"}};
  auto map = test::make_map<double>(model, "rk4", "", policy);
  auto z = test::start<double>(test::problem("pendulum"));
  MapProbe<double> probe(test::make_map<double>(model, "rk4", "", policy),
                         test::make_map<Quad>(model, "rk4", "", policy));
  probe.start(z, 0.05);
  map.integrator->begin(z);
  go(map, z, probe, 40, 0.05);
  EXPECT_EQ(probe.failed(), 0);
  EXPECT_LT(probe.find("energy")->levels.at(1e9), 1e-13);
  EXPECT_GT(probe.find("energy")->levels.at(1e9), 1e-17);
  EXPECT_LT(probe.wedge_defect(), 1e-3) << "a neighbour is not moved to the energy of the run";
}

TEST(MapProbes, KnowTheSizeOfEachKind) {
  const auto sizes = [](const char* x, const char* p) {
    const Model model = read_model_text(
        fmt::format("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 + (x - 1000)^2/2\"\n[initial]\n"
                    "x = {}\np_x = {}\n",
                    x, p),
        "sizes");
    auto map = test::make_map<double>(model, "rattle");
    Point<double> z = test::converted<double>(test::given_point(model));
    MapProbe<double> probe(test::make_map<double>(model, "rattle"), test::make_map<Quad>(model, "rattle"));
    probe.start(z, 0.05);
    go(map, z, probe, 100, 0.05);
    return std::pair{probe.size("q"), probe.size("p")};
  };
  const auto moving = sizes("1000", "0.5");
  EXPECT_NEAR(moving.first, 1000.5, 0.1);
  EXPECT_NEAR(moving.second, 0.5, 0.1);
  const auto resting = sizes("1000", "0");
  EXPECT_GT(resting.second, 1e-9) << "rounding errors are small beside it";
  EXPECT_LT(resting.second, 1e-3);
}

TEST(FinerRuns, AreNoNumbersOnceTheyAreLost) {
  auto map = make_map("pendulum", "rattle");
  auto z = test::start<double>(test::problem("pendulum"));
  FinerRun<double> finer(make_map("pendulum", "rattle"), 2);
  finer.start(z, 0.02);
  finer.follow({z, z, 1e9});
  ASSERT_TRUE(finer.error(z));
  EXPECT_TRUE(std::isnan(finer.error(z)->largest()));
  EXPECT_FALSE(finer.remark().empty());
}

MapProbe<double> probe_of(const std::string& problem, const std::string& method, const std::string& formulation,
                          Projection projection) {
  const Model model = test::read(test::problem(problem));
  return {test::make_map<double>(model, method, formulation, {.projection = projection}),
          test::make_map<Quad>(model, method, formulation, {.projection = projection})};
}

TEST(MapProbes, TellMapsThatKeepAStructureFromOthers) {
  struct Kept {
    bool position, wedge, reversal;
  };
  const auto kept = [](const char* method, const char* formulation, Projection projection) -> Kept {
    auto map = make_map("double_pendulum", method, formulation, projection);
    auto z = test::start<double>(test::problem("double_pendulum"));
    MapProbe<double> probe = probe_of("double_pendulum", method, formulation, projection);
    probe.start(z, 0.05);
    go(map, z, probe, 40, 0.05);
    EXPECT_GT(probe.samples(), 20);
    EXPECT_EQ(probe.failed(), 0);
    EXPECT_EQ(probe.reversal().count, probe.samples());
    const auto is_zero = [](double defect) {
      EXPECT_TRUE(defect < 1e-17 || defect > 1e-11) << "there is nothing between: " << defect;
      return defect < 1e-17;
    };
    return {is_zero(probe.find("position")->defect), is_zero(probe.wedge_defect()), is_zero(probe.reversal().defect)};
  };
  const Kept rattle = kept("rattle", "", Projection::none);
  EXPECT_TRUE(rattle.position && rattle.wedge && rattle.reversal);
  const Kept gauss = kept("gauss:2", "standard", Projection::none);
  EXPECT_TRUE(!gauss.position && !gauss.wedge && gauss.reversal);
  const Kept projected = kept("gauss:2", "standard", Projection::both);
  EXPECT_TRUE(projected.position && !projected.wedge && !projected.reversal);
}

TEST(MapProbes, CountWhatCannotBeMade) {
  const auto z = test::start<double>(test::problem("pendulum"));
  MapProbe<double> probe = probe_of("pendulum", "rattle", "", Projection::none);
  probe.start(z, 0.05);
  probe.follow({z, z, 1e9});
  EXPECT_EQ(probe.samples(), 1);
  EXPECT_EQ(probe.failed(), 1);
  EXPECT_EQ(probe.reversal().count, 0);
}

// The level of one step: what is rounded in the point, in what is added to it, and inside functions.
TEST(MapProbes, MeasureRoundingErrors) {
  const auto level = [](const std::string& text, const char* signal, double h) {
    const Model model = read_model_text(text, "rounding");
    auto map = test::make_map<double>(model, "rattle");
    Point<double> z = test::converted<double>(test::given_point(model));
    MapProbe<double> probe(test::make_map<double>(model, "rattle"), test::make_map<Quad>(model, "rattle"));
    probe.start(z, h);
    go(map, z, probe, 20, h);
    return probe.find(signal)->levels.at(1e9) / epsilon<double>();
  };
  const auto pendulum = [](double x) {
    return fmt::format(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = {}
y = {:.17g}
p_x = 0
p_y = 0
)toml",
                       x, -std::sqrt(1 - x * x));
  };
  // At rest momenta are zero, but not what is added up in them.
  for (const double x : {0.0, 0.003}) {
    EXPECT_GT(level(pendulum(x), "momentum", 0.01), 1e-3);
    EXPECT_LT(level(pendulum(x), "momentum", 0.01), 1e3);
    EXPECT_LT(level(pendulum(x), "position", 0.01), 10);
  }
  // (y - 1000)^2 is known to one part in 2^52 of its terms, however small y is.
  const double large = level(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 10*y"
[constraints]
circle = "x^2 + (y - 1000)^2 = 1000000"
[initial]
x = 0.1
y = 0.000005000000125000006
p_x = 0
p_y = 0
)toml",
                             "position", 0.05);
  EXPECT_GT(large, 1e5);
  EXPECT_LT(large, 1e7);
}

}  // namespace
}  // namespace cotangent
