#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/projection/projection_tally.hpp"
#include "tests/integrator/method_contract.hpp"

// Methods that keep invariants of equations, whatever these are: relaxation, discrete gradients, projections after
// steps. Measured in Quad, on equations that are not linear.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

std::vector<Quad> invariants(MethodRunner<Quad>& s, const PhasePoint<Quad>& z) {
  std::vector<Quad> I(static_cast<std::size_t>(s.instance.system.invariant_count()));
  s.instance.system.at(PointRef<Quad>(z)).invariants(I);
  return I;
}

// Steps of one length to a time, of which a method that moves the time lands with the last one.
Point<Quad> run(MethodRunner<Quad>& s, const Problem& problem, Quad end, int steps) {
  auto z = test::start<Quad>(problem);
  Point<Quad> next;
  const Quad h = end / steps;
  while (z->t < end - h / 1000) {
    Quad length = h;
    const auto make = [&](Quad step) { return s.integrator->step(z, step, next); };
    auto report = make(length);
    if (is_ok(report) && s.integrator->facts().moves_time && next->t > end - h / 2)
      report = land<Quad>(z, end, length, next, make);
    EXPECT_TRUE(is_ok(report)) << s.integrator->facts().name << " on " << problem.name << " at "
                               << static_cast<double>(z->t);
    if (!is_ok(report)) break;
    swap(z, next);
  }
  return z;
}

const PhasePoint<Quad>& reference(const Problem& problem, Quad end) {
  static std::map<std::string, PhasePoint<Quad>> found;
  if (const auto known = found.find(problem.name); known != found.end()) return known->second;
  MethodRunner<Quad> odex("odex:8", problem);
  return found[problem.name] = run(odex, problem, end, 32);
}

struct Keeper {
  std::string method;
  int order;
  std::string problem;
  bool keeps;  // all invariants, to rounding
};

void PrintTo(const Keeper& c, std::ostream* out) { *out << c.method << " on " << c.problem; }

class InvariantKeeper : public testing::TestWithParam<Keeper> {};

// The order is that of the method at the time where a step ends, and what is kept is kept to rounding.
TEST_P(InvariantKeeper, HasTheOrderOfItsMethodAndKeepsWhatItSays) {
  const auto& [method, order, name, keeps] = GetParam();
  const Problem& problem = test::problem(name);
  const auto end = static_cast<Quad>(0.6);
  MethodRunner<Quad> s(method, problem);
  ProjectionTally<Quad> tally;
  s.integrator->count_projections(&tally);
  const auto& exact = reference(problem, end);
  const auto before = invariants(s, test::start<Quad>(problem));
  double change = 0;
  const auto error = [&](int steps) {
    const auto z = run(s, problem, end, steps);
    EXPECT_NEAR(static_cast<double>(z->t), 0.6, 1e-15);
    const auto after = invariants(s, z);
    change = 0;
    for (std::size_t k = 0; k < after.size(); ++k)
      change = std::max(change, static_cast<double>(abs(after[k] - before[k])));
    return static_cast<double>(test::distance(z, exact));
  };
  const int steps = !keeps ? 12 : order > 8 ? 16 : 64;
  const double coarse = error(steps);
  if (keeps) {
    EXPECT_LE(change, 1e-30);
  } else {
    EXPECT_GE(change, 1e-26);
  }
  EXPECT_EQ(s.integrator->facts().keeps_invariants.empty(), !keeps);
  const double fine = error(2 * steps);
  EXPECT_GT(fine, 1e-29);
  const double measured = std::log2(coarse / fine);
  EXPECT_GT(measured, order - 0.4) << "errors " << coarse << ", " << fine;
  // All invariants of Kepler's motion leave nothing but the time to be wrong along the orbit. Relaxed steps that go to
  // the nearest point have other errors, and are not the same part of long and of short ones.
  if (name != "kepler" && tally.relaxation.fallbacks == 0) {
    EXPECT_LT(measured, order + 0.4) << "errors " << coarse << ", " << fine;
  }
}

std::vector<Keeper> keepers() {
  std::vector<Keeper> all;
  // Every table, with one invariant and with several.
  for (const auto& [method, order] : {std::pair{"rk2", 2},
                                      {"heun", 2},
                                      {"rk4", 4},
                                      {"dopri5", 5},
                                      {"tsit5", 5},
                                      {"rkf78", 7},
                                      {"dop853", 8},
                                      {"vern9", 9},
                                      {"gauss:2", 4}})
    for (const char* name : {"lotka_volterra", "lotka_volterra_log"})
      all.push_back({"project:relaxation(" + std::string(method) + ")", order, name, true});
  for (const auto& [method, order] : {std::pair{"rk4", 4}, {"dopri5", 5}, {"tsit5", 5}, {"rkf78", 7}, {"dop853", 8}})
    for (const char* name : {"euler_top", "kepler", "toda", "three_body"})
      all.push_back({"project:relaxation(" + std::string(method) + ")", order, name, true});
  for (const char* name : {"lotka_volterra", "euler_top", "kepler", "toda", "three_body", "driven_rotation"}) {
    all.push_back({"discrete-gradient", 2, name, true});
    all.push_back({"projected-midpoint", 2, name, true});
    all.push_back({"project:joint(rk4)", 4, name, true});
    all.push_back({"project:stabilise(rk4)", 4, name, false});
    all.push_back({"mrk4", 4, name, true});
    all.push_back({"mgps", 1, name, true});
    all.push_back({"gps", 1, name, false});
  }
  for (const char* name : {"lotka_volterra", "lotka_volterra_log"}) all.push_back({"hamiltonian-mgps", 1, name, true});
  for (const char* name : {"euler_top", "three_body"}) all.push_back({"project:scaling(dop853)", 8, name, true});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Every, InvariantKeeper, testing::ValuesIn(keepers()), [](const auto& keeper) {
  std::string name = keeper.param.method + "_" + keeper.param.problem;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

// One step towards the invariants makes what is left of them as small as its square.
TEST(Stabilisation, SquaresWhatItTakesAway) {
  const Problem& problem = test::problem("kepler");
  test::Instance<Quad> instance(problem);
  const auto first = test::start<Quad>(problem);
  const auto left = [&](double distance) {
    Projector<Quad> project(instance.manifold, {.projection = Projection::stabilise,
                                                .invariants = {"energy", "quadratic_momentum", "lenz_x"}});
    project.start(first);
    PhasePoint<Quad> z = first;
    for (std::size_t j = 0; j < z.s.size(); ++j) z.s[j] += static_cast<Quad>(distance) * static_cast<int>(1 + j % 3);
    EXPECT_TRUE(project.project(z).ok);
    KeptInvariants<Quad> kept(instance.system, {"energy", "quadratic_momentum", "lenz_x"});
    kept.start(first.state());
    std::vector<Quad> excess(3);
    kept.excess(z, excess.data());
    return static_cast<double>(test::largest(excess));
  };
  EXPECT_NEAR(std::log2(left(1e-4) / left(0.5e-4)), 2, 0.01);
}

// What a step gains or loses of a linear invariant is rounding, and no direction changes it.
TEST(Relaxation, LeavesLinearInvariantsToTheMethod) {
  const Problem problem{.name = "spiral",
                        .text = R"toml(
[system]
states = ["x", "y", "z"]
[equations]
x = "y*z"
y = "-x*z"
z = "0"
[invariants]
height = "z"
radius = "x^2 + y^2"
[initial]
x = 1
y = 0.5
z = 0.7
)toml",
                        .is_mechanical = false};
  for (const char* method :
       {"project:relaxation(rk4)", "project:relaxation(heun)", "project:relaxation(implicit-midpoint)"}) {
    MethodRunner<double> s(method, problem);
    auto z = test::start<double>(problem);
    for (int k = 0; k < 20'000; ++k) ASSERT_TRUE(is_ok(s.step(z, 0.1))) << k;
    EXPECT_EQ(z->s[2], 0.7);
    EXPECT_NEAR(z->s[0] * z->s[0] + z->s[1] * z->s[1], 1.25, 1e-13);
    if (s.integrator->facts().is_explicit) {
      EXPECT_GT(std::abs(z->t - 2000), 1e-5) << "the time does not move along";
    }
  }
}

// A root far from the step is none, and where there is no nearest point either the step fails: near an equilibrium a
// step of half its period leads nowhere.
TEST(Relaxation, SaysWhichInvariantHasNoRootNearby) {
  const Problem& problem = test::problem("lotka_volterra");
  MethodRunner<double> s("project:relaxation(rk4)", problem);
  auto z = test::start<double>(problem);
  const auto before = z->s;
  const auto report = s.step(z, 2.9);
  EXPECT_EQ(report.status, StepStatus::dependent_invariant);
  EXPECT_TRUE(report.in_projection);
  EXPECT_EQ(report.row, 0);
  EXPECT_EQ(z->s, before);
}

// Kovalevskaya's top has four invariants, and rk4 three directions. The nearest point is taken, at the time of the
// method.
TEST(Relaxation, GoesToTheNearestPointWhereItHasNoRootNearby) {
  const Problem problem{.name = "kovalevskaya",
                        .text = R"toml(
[system]
states = ["w[3]", "g[3]"]
[equations]
w = ["w[2]*w[3]/2", "-w[1]*w[3]/2 + g[3]/2", "-g[2]"]
g = "cross(g, w)"
[invariants]
energy = "w[1]^2 + w[2]^2 + w[3]^2/2 + g[1]"
moment = "2*w[1]*g[1] + 2*w[2]*g[2] + w[3]*g[3]"
length = "norm2(g)"
quartic = "(w[1]^2 - w[2]^2 - g[1])^2 + (2*w[1]*w[2] - g[2])^2"
[initial]
w = [0.6, 0.4, 0.7]
g = [0.8, 0.36, 0.48]
)toml",
                        .is_mechanical = false};
  for (const char* method : {"rk4", "dopri5"}) {
    MethodRunner<double> s(std::string("project:relaxation(") + method + ")", problem);
    MethodRunner<double> joint(std::string("project:joint(") + method + ")", problem);
    ProjectionTally<double> tally;
    s.integrator->count_projections(&tally);
    auto z = test::start<double>(problem), nearest = z;
    ASSERT_TRUE(is_ok(s.step(z, 0.05)));
    ASSERT_TRUE(is_ok(joint.step(nearest, 0.05)));
    const bool is_short_of_directions = method == std::string("rk4");
    EXPECT_EQ(z->s == nearest->s, is_short_of_directions);
    EXPECT_EQ(z->t == 0.05, is_short_of_directions);
    EXPECT_EQ(tally.relaxation.points, 1);
    EXPECT_EQ(tally.relaxation.fallbacks, is_short_of_directions ? 1 : 0);
    EXPECT_EQ(tally.relaxation.first_fallback, is_short_of_directions ? 0.05 : 0);
    EXPECT_EQ(tally.relaxation.change > 0, !is_short_of_directions);
    EXPECT_LT(tally.relaxation.change, 0.01);
  }
}

// The pendulum by sine and cosine: its energy changes along the step like c w^2 - s^2, which has zeros. Next to them a
// step that is made longer moves the point far along the surface: the time would be right, and the point wrong.
TEST(Relaxation, MakesNoDetours) {
  const Problem problem{.name = "pendulum",
                        .text = R"toml(
[system]
states = ["s", "c", "w"]
[equations]
s = "c*w"
c = "-s*w"
w = "-s"
[invariants]
energy = "w^2/2 - c"
[initial]
s = 0.8
c = -0.6
w = 0.5
)toml",
                        .is_mechanical = false};
  const auto& exact = reference(problem, 10);
  const auto error = [&](const char* method, int steps, ProjectionTally<Quad>& tally) {
    MethodRunner<Quad> s(method, problem);
    s.integrator->count_projections(&tally);
    return static_cast<double>(test::distance(run(s, problem, 10, steps), exact));
  };
  for (const int steps : {500, 1000}) {
    ProjectionTally<Quad> tally, none;
    const double relaxed = error("project:relaxation(rk4)", steps, tally), plain = error("rk4", steps, none);
    EXPECT_LT(relaxed, 2 * plain) << steps;
    EXPECT_GT(tally.relaxation.fallbacks, steps / 50);
    EXPECT_LT(tally.relaxation.fallbacks, steps / 4);
    EXPECT_LT(tally.relaxation.change, 1e-5);
  }
}

// Embedded results of a step this short are made of rounding errors: they change nothing, and nothing is amiss.
TEST(Relaxation, LeavesRoundingErrorsThatItsDirectionsCannotTakeAway) {
  for (const char* name : {"kepler", "euler_top", "toda", "three_body"}) {
    const Problem& problem = test::problem(name);
    MethodRunner<double> s("project:relaxation(rk4)", problem);
    auto z = test::start<double>(problem);
    ASSERT_TRUE(is_ok(s.step(z, 0.01))) << name;
    ProjectionTally<double> tally;
    s.integrator->count_projections(&tally);
    for (const double h : {1e-5, 1e-7, 1e-9, 1e-12, 1e-15}) ASSERT_TRUE(is_ok(s.step(z, h))) << name << h;
    EXPECT_EQ(tally.relaxation.fallbacks, 0) << name;
  }
}

TEST(Relaxation, RefusesWhatItCannotDo) {
  const auto refusal = [](const std::string& method, const Problem& problem) -> std::string {
    try {
      MethodRunner<double> s(method, problem);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto expect = [&](const std::string& method, const char* problem, const std::string& why) {
    const std::string said = refusal(method, test::problem(problem));
    EXPECT_NE(said.find(why), said.npos) << method << " on " << problem << ": " << said;
  };
  expect("project:relaxation(euler)", "lotka_volterra", "order 1");
  expect("project:relaxation(rk4)", "driven_rotation", "the time in them");
  expect("project:relaxation(rk4)", "driven_duffing", "name some");
  expect("project:relaxation(heun)", "euler_top", "not linear, not for 2");
  expect("project:relaxation(gauss:2)", "euler_top", "not linear, not for 2");
  expect("project:relaxation:energy(rk4)", "double_pendulum", "constraints");
  expect("project:relaxation:every=2(rk4)", "lotka_volterra", "every=K");
  expect("discrete-gradient", "driven_duffing", "here are none");
  expect("projected-midpoint", "driven_duffing", "here are none");
  expect("discrete-gradient", "double_pendulum", "constraints");
}

}  // namespace
}  // namespace cotangent
