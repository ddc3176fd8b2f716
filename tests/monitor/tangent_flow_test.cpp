#include "cotangent/monitor/tangent/tangent_flow.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/monitor/followed_run.hpp"

// Tangents along runs: what monitors tell of them, held against neighbours of the run in Quad; what symplectic methods
// keep, and others do not.

namespace cotangent {
namespace {

using test::Choice;
using test::Extent;
using test::FollowedRun;
using test::make_map;

// The vectors that a run of a model begins with.
TangentFrame first_pair(const std::string& text) {
  const Model model = read_model_text(text, "text");
  auto map = test::make_map<double>(model, "rattle");
  TangentFlow<double> flow(*map.manifold,
                           std::make_shared<StepMap<Tangents>>(test::make_map<Tangents>(model, "rattle")),
                           TangentFlow<double>::Extent::one_pair);
  flow.start(make_initial_data(model, *map.manifold).z, 0.01);
  EXPECT_FALSE(flow.loss());
  return flow.frame();
}

TEST(TangentFrames, BecomeOrthonormal) {
  PhasePoint<Tangents> z(2);
  z.q[0] = 3;
  z.p[1] = 0.5;
  for (std::size_t j = 0; j < 2; ++j) {
    z.q[j].d[0] = 1e3 + static_cast<double>(j);
    z.p[j].d[0] = 2e3;
    z.q[j].d[1] = 1e3 - 0.5;
    z.p[j].d[1] = 2e3 + 0.25 * static_cast<double>(j);
  }
  TangentFrame frame(z, 2, {.q = 3, .p = 0.5});
  const TangentFrame::Gram before = frame.gram();
  EXPECT_FALSE(frame.is_in_shape(0, before));
  EXPECT_NEAR(before.wedge, frame.wedge(0, 1), 1e-12 * std::abs(before.wedge));
  EXPECT_NEAR(before.mixed, frame.inner(0, 1), 1e-12 * before.mixed);
  ASSERT_EQ(frame.orthonormalise(), 2);
  const TangentFrame::Gram g = frame.gram();
  EXPECT_TRUE(frame.is_in_shape(0, g));
  EXPECT_NEAR(g.first, 1, 1e-14);
  EXPECT_NEAR(g.second, 1, 1e-14);
  EXPECT_NEAR(g.mixed, 0, 1e-9);
  const double spanned = std::sqrt(before.first * before.second - before.mixed * before.mixed);
  EXPECT_NEAR(g.wedge * spanned, before.wedge, 1e-6 * std::abs(before.wedge)) << "areas in the same plane";
  frame.set(1, frame.vector(0));
  EXPECT_EQ(frame.orthonormalise(), 1) << "the second one is spanned by the first";
}

TEST(TangentFrames, TakeVariablesOfAFormulationAlong) {
  Point<Tangents> z(1);
  z.own().q.assign(1, Tangents(0));
  z.own().q[0].d[0] = 2;
  z.own().q[0].d[1] = 5;
  z.own().is_current = true;
  z.remember(1).depth = 1;
  TangentFrame frame(z, 2, {});
  frame.points()[0] = z;
  frame.scale(1, 2);
  frame.add(1, 1, frame, 0);
  frame.scale(0, 0.5);
  EXPECT_EQ(frame.points()[0].memory(1).depth, 0) << "what was computed for the old tangents is of no use";
  EXPECT_TRUE(frame.points()[0].own().is_current);
  EXPECT_EQ(frame.points()[0].own().q[0].d[0], 1);
  EXPECT_EQ(frame.points()[0].own().q[0].d[1], 12);
}

TEST(TangentFlows, BeginWithConsistentVectorsThatSpanAnArea) {
  for (const std::string name : {"pendulum", "double_pendulum", "spherical_metric", "relativistic", "free"}) {
    SCOPED_TRACE(name);
    const Choice choice{name, "rattle", ""};
    auto map = make_map<double>(choice);
    const auto z = test::start<double>(test::problem(name));
    for (const auto extent : {TangentFlow<double>::Extent::one_pair, TangentFlow<double>::Extent::basis}) {
      TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)), extent);
      flow.start(z, 0.01);
      ASSERT_FALSE(flow.loss());
      if (extent == TangentFlow<double>::Extent::one_pair) {
        EXPECT_NEAR(flow.area(), 1, 1e-15);
        EXPECT_LT(1, 50 * std::abs(flow.frame().wedge(0, 1)));
      } else {
        EXPECT_EQ(flow.frame().dimension(), static_cast<std::size_t>(2 * (map.system->n() - map.system->m())));
      }
      const auto dual = make_map<Tangents>(choice);
      Manifold<Tangents>& manifold = *dual.manifold;
      for (const auto& w : flow.frame().points()) {
        EXPECT_LE(std::abs(manifold.position_residual(w->q.data(), Tangents(0)).value.value), 1e-14);
        PhasePoint<Tangents> moved = w;
        static_cast<void>(manifold.project_position(moved));
        static_cast<void>(manifold.project_momentum(moved));
        for (std::size_t j = 0; j < w->q.size(); ++j)
          for (const int i : {0, 1}) {
            EXPECT_NEAR(moved.q[j].d[i], w->q[j].d[i], 1e-13);
            EXPECT_NEAR(moved.p[j].d[i], w->p[j].d[i], 1e-13);
          }
      }
    }
  }
}

// What symplectic methods keep to rounding others change visibly; projections too, but not that of momenta alone.
TEST(TangentFlows, TellSymplecticRunsFromOthers) {
  const struct {
    Choice choice;
    bool is_symplectic;
  } cases[]{
      {{"double_pendulum", "rattle", ""}, true},
      {{"double_pendulum", "gauss:2", "state-space"}, true},
      {{"double_pendulum", "gauss:2", "dirac"}, true},
      {{"double_pendulum", "implicit-midpoint", "impetus"}, true},
      {{"spherical_metric", "compose:4(rattle)", ""}, true},
      {{"relativistic", "lobatto:3", ""}, true},
      {{"double_pendulum", "rk4", "standard"}, false},
      {{"double_pendulum", "gauss:2", "standard"}, false},
      {{"double_pendulum", "gauss:2", "dirac", Projection::both}, false},
      {{"double_pendulum", "symmetric(gauss:2)", ""}, false},
  };
  for (const auto& [choice, is_symplectic] : cases) {
    SCOPED_TRACE(choice.problem + ", " + choice.method + ", " + choice.formulation);
    FollowedRun<double> run(choice, {"wedge", "symplectic"});
    run.go(100, 0.1);
    if (is_symplectic) {
      EXPECT_LE(run["wedge"], 1e-11);
      EXPECT_LE(run["symplectic"], 1e-10);
    } else {
      EXPECT_GE(run["wedge"], 1e-9);
      EXPECT_GE(run["symplectic"], 1e-9);
    }
  }
}

// The wedge product of a run, by differences of four neighbours in Quad that make the same steps.
double wedge_by_differences(const Choice& choice, int steps, double h) {
  auto map = make_map<double>(choice);
  const auto start = test::start<Quad>(test::problem(choice.problem));
  TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           TangentFlow<double>::Extent::one_pair);
  flow.start(test::start<double>(test::problem(choice.problem)), 0.05);
  const PhasePoint<Tangents>& w = flow.frame().points()[0];
  const auto e = static_cast<Quad>(1e-9);
  std::array<PhasePoint<Quad>, 4> points;
  for (std::size_t k = 0; k < 4; ++k) {
    auto neighbour = make_map<Quad>(choice);
    Point<Quad> z = start;
    const Quad distance = k % 2 == 0 ? -e : e;
    for (std::size_t j = 0; j < z->q.size(); ++j) {
      z.change().q[j] += distance * static_cast<Quad>(w.q[j].d[k / 2]);
      z.change().p[j] += distance * static_cast<Quad>(w.p[j].d[k / 2]);
    }

    if (neighbour.system->m() > 0) {
      EXPECT_TRUE(neighbour.manifold->project_position(z.change()).converged);
      EXPECT_TRUE(neighbour.manifold->project_momentum(z.change()).converged);
    }
    for (int i = 1; i <= steps; ++i) EXPECT_TRUE(neighbour.integrator->step(z, static_cast<Quad>(h)).ok);
    points[k] = z;
  }
  Quad sum = 0;
  const auto d = [&](std::size_t i, std::vector<Quad> PhasePoint<Quad>::*part, std::size_t j) {
    return ((points[2 * i + 1].*part)[j] - (points[2 * i].*part)[j]) / (2 * e);
  };
  for (std::size_t j = 0; j < start->q.size(); ++j)
    sum += d(0, &PhasePoint<Quad>::q, j) * d(1, &PhasePoint<Quad>::p, j) -
           d(1, &PhasePoint<Quad>::q, j) * d(0, &PhasePoint<Quad>::p, j);
  return static_cast<double>(sum) / (flow.frame().wedge(0, 1) * flow.frame().measure().q * flow.frame().measure().p);
}

TEST(TangentFlows, AgreeWithNeighboursOfTheRun) {
  const Choice choices[]{
      {"double_pendulum", "rk4", "standard"},
      {"double_pendulum", "rk4", "standard", Projection::both},
      {"spherical_metric", "rk4", "dirac", Projection::momentum},
      {"relativistic", "gauss:2", "standard", Projection::position},
      {"double_pendulum", "implicit-midpoint", "dirac-weak", Projection::both},
      {"double_pendulum", "gauss:2", "baumgarte"},
      {"pendulum", "rk4", "state-space"},
      {"double_pendulum", "rk4", "impetus", Projection::none, {.impetus_reset = 3}},
      {"spherical_metric", "symmetric(implicit-midpoint)", ""},
      {"double_pendulum", "rk4", "total"},
  };
  for (Choice choice : choices) {
    SCOPED_TRACE(choice.problem + ", " + choice.method + ", " + choice.formulation);
    choice.every = 2;
    FollowedRun<double> run(choice, {"wedge"});
    run.go(30, 0.1);
    const double expected = std::abs(wedge_by_differences(choice, 30, 0.1) - 1);
    EXPECT_GT(expected, 1e-12);
    EXPECT_NEAR(run["wedge"], expected, 1e-9);
  }
}

// At rest on a saddle no step has an error, however long it is; the distance of neighbours is not what the exponent
// says.
TEST(TangentFlows, TellStepsThatAreTooLongForTheExponent) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 - x^2)/2\"\n[initial]\nx = 0\np_x = 0\n", "saddle");
  for (const double h : {0.5, 20.0}) {
    auto map = test::make_map<double>(model, "rk4");
    MonitorSources<double> sources;
    sources.tangents = [&] { return std::make_shared<StepMap<Tangents>>(test::make_map<Tangents>(model, "rk4")); };
    MonitorSet<double> monitors({"wedge", "lyapunov"}, *map.manifold, sources);
    Point<double> z = test::converted<double>(test::given_point(model));
    monitors.start(z, h);
    for (int k = 0; k < 10; ++k) {
      const Point<double> begin = z;
      ASSERT_TRUE(map.integrator->step(z, h).ok);
      monitors.follow({begin, z, h});
    }
    EXPECT_EQ(monitors.find("lyapunov")->remark().empty(), h < 1) << h;
    EXPECT_TRUE(monitors.find("wedge")->remark().empty()) << "it is about the map";
    EXPECT_EQ(std::abs(monitors.find("lyapunov")->current() - 1) < 0.1, h < 1) << h;
  }
}

// A run in another precision has its tangents in double, at its own points.
TEST(TangentFlows, GoAlongWithRunsInEveryPrecision) {
  const Choice choice{"double_pendulum", "rk4", "standard", Projection::both};
  FollowedRun<double> run(choice, {"wedge", "lyapunov"});
  FollowedRun<Quad> precise(choice, {"wedge", "lyapunov"});
  run.go(20, 0.1);
  precise.go(20, 0.1);
  EXPECT_NEAR(run["wedge"], precise["wedge"], 1e-12);
  EXPECT_NEAR(run["lyapunov"], precise["lyapunov"], 1e-12);
}

// Whatever a system begins with, its motions are of the size that forces give them: a momentum that is zero up to
// rounding says nothing about them, nor does the distance from the origin.
TEST(TangentFlows, AreMeasuredByWhatMoves) {
  for (const char* p : {"0", "1e-17", "1e-9", "0.5"}) {
    SCOPED_TRACE(p);
    const auto pair =
        first_pair(fmt::format("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 + x^2)/2\"\n"
                               "[initial]\nx = 1\np_x = {}\n",
                               p));
    EXPECT_GT(pair.measure().p, 0.5);
    EXPECT_LT(pair.measure().p, 2);
  }
  for (const char* x : {"0", "100", "1e4"}) {
    SCOPED_TRACE(x);
    const auto pair =
        first_pair(fmt::format("[parameters]\na = {}\n[system]\ncoordinates = [\"x\", \"y\"]\n"
                               "hamiltonian = \"(p_x^2 + p_y^2)/2 + y\"\n[constraints]\nrod = \"(x - a)^2 + y^2 = 1\"\n"
                               "[initial]\nx = \"a + 1\"\ny = 0\np_x = 0\np_y = -2\n",
                               x));
    EXPECT_LT(pair.measure().q, 200);
  }
}

// The same as a Lagrangian: there are velocities to be found that vanish, and their derivatives do not.
TEST(TangentFlows, BeginAtRestWithALagrangian) {
  const auto pair = first_pair(
      "[system]\ncoordinates = [\"a\", \"b\"]\n"
      "lagrangian = \"v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b) + 2*cos(a) + cos(b)\"\n"
      "[initial]\na = 0.5\nb = 0.3\nv_a = 0\nv_b = 0\n");
  EXPECT_GT(std::abs(pair.gram().wedge), 0.01);
}

// Monitors read a run and do not change it.
TEST(TangentFlows, LeaveTheRunAlone) {
  const Choice choice{"double_pendulum", "gauss:2", "state-space"};
  FollowedRun<double> run(choice, {"wedge", "symplectic"}), alone(choice, {"energy"});
  run.go(50, 0.1);
  alone.go(50, 0.1);
  EXPECT_EQ(run.point()->q, alone.point()->q);
  EXPECT_EQ(run.point()->p, alone.point()->p);
}

// Where neighbours separate exponentially vectors are renewed and rescaled.
TEST(TangentFlows, SurviveChaos) {
  const Choice choice{"double_pendulum", "rattle", ""};
  FollowedRun<double> run(choice, {"wedge", "symplectic", "lyapunov"});
  run.go(4000, 0.05);
  EXPECT_LE(run["wedge"], 1e-9);
  EXPECT_LE(run["symplectic"], 1e-9);
}

// The growth of the first vector, by a neighbour in Quad that is brought back to its distance after every step.
TEST(TangentFlows, TellHowNeighboursSeparate) {
  constexpr int kSteps = 600;
  constexpr double kStep = 0.1;
  for (const Choice& choice : {Choice{"double_pendulum", "rattle", ""}, Choice{"double_pendulum", "rk4", "impetus"}}) {
    SCOPED_TRACE(choice.method);
    auto map = make_map<double>(choice);
    const auto start = test::start<double>(test::problem(choice.problem));
    TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                             TangentFlow<double>::Extent::one_pair);
    flow.start(start, kStep);
    const Point<Tangents> first = flow.frame().points()[0];
    const double q_unit = flow.frame().measure().q, p_unit = flow.frame().measure().p;

    auto here = make_map<Quad>(choice), there = make_map<Quad>(choice);
    const auto e = static_cast<Quad>(1e-12);
    Point<Quad> z = test::start<Quad>(test::problem(choice.problem)), w = z;
    for (std::size_t j = 0; j < z->q.size(); ++j) {
      w.change().q[j] += e * static_cast<Quad>(first->q[j].d[0]);
      w.change().p[j] += e * static_cast<Quad>(first->p[j].d[0]);
    }
    EXPECT_TRUE(there.manifold->project_position(w.change()).converged);
    EXPECT_TRUE(there.manifold->project_momentum(w.change()).converged);
    const auto distance = [&] {
      Quad sum = 0;
      for (std::size_t j = 0; j < z->q.size(); ++j) {
        const Quad dq = (w->q[j] - z->q[j]) / static_cast<Quad>(q_unit),
                   dp = (w->p[j] - z->p[j]) / static_cast<Quad>(p_unit);
        sum += dq * dq + dp * dp;
      }
      return sqrt(sum);
    };
    double growth = 0;
    Quad before = distance();
    Point<double> run = start;
    for (int k = 0; k < kSteps; ++k) {
      const Point<double> begin = run;
      ASSERT_TRUE(map.integrator->step(run, kStep).ok);
      flow.follow({begin, run, kStep});
      ASSERT_TRUE(here.integrator->step(z, static_cast<Quad>(kStep)).ok);
      ASSERT_TRUE(there.integrator->step(w, static_cast<Quad>(kStep)).ok);
      growth += std::log(static_cast<double>(distance() / before));
      before = distance();
      if (before < static_cast<Quad>(1e-9)) continue;
      const Quad back = e / before;
      const auto shrink = [&](std::vector<Quad>& x, const std::vector<Quad>& centre) {
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = centre[j] + back * (x[j] - centre[j]);
      };
      OwnVariables<Quad>& own = w.own();
      const bool owned = own.is_current;
      shrink(w.change().q, z->q);
      shrink(w.change().p, z->p);
      if (!own.p.empty()) shrink(own.q, z.own().q), shrink(own.p, z.own().p);
      own.is_current = owned;
      before = distance();
    }
    EXPECT_GT(growth, 5);
    EXPECT_NEAR(flow.log_growth(), growth, 1e-3 * growth);
  }
}

// A neighbour returns to the energy that it began with, which is another one.
TEST(TangentFlows, CarryWhatInvariantsReturnTo) {
  Choice choice{"double_pendulum", "rk4", "standard", Projection::both};
  choice.invariants = {"energy"};
  FollowedRun<double> run(choice, {"wedge"});
  run.go(20, 0.1);
  const double expected = std::abs(wedge_by_differences(choice, 20, 0.1) - 1);
  EXPECT_LT(expected, 0.1);
  EXPECT_NEAR(run["wedge"], expected, 1e-8);
}

TEST(TangentFlows, BeginAtRest) {
  const Choice choice{"pendulum", "rattle", ""};
  auto map = make_map<double>(choice);
  auto dual = std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice));
  TangentFlow<double> flow(*map.manifold, dual, TangentFlow<double>::Extent::one_pair);
  PhasePoint<double> z = test::start<double>(test::problem("pendulum"));
  for (double& p : z.p) p = 0;

  flow.start(z, 0.01);
  EXPECT_FALSE(flow.loss());
  EXPECT_NEAR(flow.area(), 1, 1e-14);
}

// In the first stretch the change is that of the map; in others it adds up, and is neither lost nor made larger.
TEST(TangentFlows, AddUpTheChangesOfABasis) {
  const Choice choice{"pendulum", "rk4", "state-space"};
  auto map = make_map<double>(choice);
  TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           Extent::basis);
  Point<double> z = test::start<double>(test::problem(choice.problem));
  flow.start(z, 0.1);
  const auto product = [&] { return flow.frame().wedge(0, 1); };
  const double before = product();
  for (int k = 0; k < 5; ++k) {
    const Point<double> begin = z;
    ASSERT_TRUE(map.integrator->step(z, 0.1).ok);
    flow.follow({begin, z, 0.1});
  }
  EXPECT_GT(flow.defect(), 1e-8);
  EXPECT_NEAR(flow.defect(), std::abs(product() - before), 1e-15);

  FollowedRun<double> kept({"pendulum", "rattle", ""}, {"symplectic"}), lost(choice, {"symplectic"});
  kept.go(20000, 0.1);
  EXPECT_LE(kept["symplectic"], 2e-12);
  lost.go(1000, 0.1);
  const double half = lost["symplectic"];
  lost.go(1000, 0.1);
  EXPECT_NEAR(lost["symplectic"] / half, 2, 0.3);
}

}  // namespace
}  // namespace cotangent
