#include "cotangent/monitor/tangent_flow.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "cotangent/formulation/impetus.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/registry.hpp"
#include "tests/monitor/make_map.hpp"
#include "tests/support/instance.hpp"

// Tangents along runs: what monitors tell of them, held against neighbours of the run in Quad; what symplectic methods
// keep, and others do not.

namespace cotangent {
namespace {

struct Choice {
  std::string problem, method, formulation;
  Projection projection = Projection::none;
  FormulationOptions options = {};
  std::vector<std::string> invariants = {};
};

template <class T>
StepMap<T> make_map(const Choice& choice) {
  return test::make_map<T>(test::read(test::problem(choice.problem)), choice.method, choice.formulation,
                           {.projection = choice.projection, .invariants = choice.invariants}, choice.options);
}

/// A run with fixed steps that are projected after every `every`-th step, and what goes along with it.
template <class T>
class FollowedRun {
 public:
  FollowedRun(const Choice& choice, const std::vector<std::string>& names)
      : map_(make_map<T>(choice)), z_(test::start<T>(test::problem(choice.problem))) {
    MonitorSources<T> sources;
    sources.tangents = [choice] { return std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)); };
    monitors_ = MonitorSet<T>(names, *map_.manifold, sources);
    map_.projector->start(z_);
    monitors_.start(z_, T(0.05));
  }

  void go(int steps, double h, int every = 1) {
    for (int k = 1; k <= steps; ++k) {
      const PhasePoint<T> begin = z_;
      ASSERT_TRUE(all(map_.integrator->step(z_, T(h)).ok));
      const bool is_projected = map_.projector->is_active() && k % every == 0;
      if (is_projected) {
        ASSERT_TRUE(all(map_.projector->project(z_).ok));
      }
      monitors_.follow({begin, z_, T(h), 1, is_projected});
    }
  }

  const MethodFacts& facts() const { return map_.integrator->facts(); }
  double operator[](const std::string& name) const { return static_cast<double>(monitors_.find(name)->current()); }
  const PhasePoint<T>& point() const { return z_; }

 private:
  StepMap<T> map_;
  PhasePoint<T> z_;
  MonitorSet<T> monitors_;
};

using Extent = TangentFlow<double>::Extent;

/// The run of a model, with tangents beside it.
class ModelRun {
 public:
  ModelRun(const Model& model, const std::string& method, double h, const ProjectionPolicy& policy = kNoProjection)
      : map_(test::make_map<double>(model, method, "", policy)), h_(h), z_(make_initial_data(model, *map_.manifold).z) {
    make_map_ = [model, method, policy] {
      return std::make_shared<StepMap<Tangents>>(test::make_map<Tangents>(model, method, "", policy));
    };
    map_.projector->start(z_);
  }

  TangentFlow<double>& add(Extent extent) {
    flows_.push_back(std::make_unique<TangentFlow<double>>(*map_.manifold, make_map_(), extent));
    flows_.back()->start(z_, h_);
    return *flows_.back();
  }

  void go(int steps) {
    for (int k = 0; k < steps; ++k) {
      const auto begin = z_;
      ASSERT_EQ(map_.integrator->step(z_, h_).status, StepStatus::ok);
      const bool is_projected = map_.projector->is_active();
      if (is_projected) {
        ASSERT_EQ(map_.projector->project(z_).status, StepStatus::ok);
      }
      for (auto& flow : flows_) flow->follow({begin, z_, h_, 1, is_projected});
    }
  }

 private:
  static inline const ProjectionPolicy kNoProjection{.projection = Projection::none};
  StepMap<double> map_;
  double h_;
  PhasePoint<double> z_;
  std::function<std::shared_ptr<StepMap<Tangents>>()> make_map_;
  std::vector<std::unique_ptr<TangentFlow<double>>> flows_;
};

// The vectors that a run of a model begins with.
TangentPair first_pair(const std::string& text) {
  const Model model = read_model_text(text, "text");
  auto map = test::make_map<double>(model, "rattle");
  TangentFlow<double> flow(*map.manifold,
                           std::make_shared<StepMap<Tangents>>(test::make_map<Tangents>(model, "rattle")),
                           TangentFlow<double>::Extent::one_pair);
  flow.start(make_initial_data(model, *map.manifold).z, 0.01);
  EXPECT_FALSE(flow.loss());
  return flow.pairs().at(0);
}

TEST(TangentPairs, KeepTheirAreaAndTheirShape) {
  PhasePoint<Tangents> z(2);
  z.q[0] = 3;
  z.p[1] = 0.5;
  for (std::size_t j = 0; j < 2; ++j) {
    z.q[j].d[0] = 1e3 + static_cast<double>(j);
    z.p[j].d[0] = 2e3;
    z.q[j].d[1] = 1e3 - 0.5;
    z.p[j].d[1] = 2e3 + 0.25 * static_cast<double>(j);
  }
  TangentPair pair(z);
  pair.set_units(3, 0.5);
  const double area = wedge(pair, 0, pair, 1);
  TangentPair::Gram g = pair.gram();
  const double length = std::sqrt(g.first);
  const int power = pair.balance(g);
  EXPECT_NEAR(wedge(pair, 0, pair, 1), area, 1e-9 * std::abs(area));
  EXPECT_LT(std::abs(g.mixed), 1e-9 * g.first);
  const double ratio = g.first / g.second;
  EXPECT_GT(ratio, 1.0 / 8);
  EXPECT_LT(ratio, 8);
  EXPECT_NEAR(std::ldexp(std::sqrt(g.first), power), length, 1e-12 * length);
  EXPECT_NE(power, 0);
  EXPECT_EQ(pair.balance(g), 0) << "in shape it is left alone";
}

TEST(TangentPairs, TakeVariablesOfAFormulationAlong) {
  PhasePoint<Tangents> z(1);
  z.own.q.assign(1, Tangents(0));
  z.own.q[0].d[0] = 2;
  z.own.q[0].d[1] = 5;
  z.own.revision = z.revision;
  TangentPair pair(z);
  const auto revision = pair.point().revision;
  pair.combine(0.5, 1, 2);
  EXPECT_NE(pair.point().revision, revision) << "what was computed for the old tangents is of no use";
  EXPECT_EQ(pair.point().own.revision, pair.point().revision);
  EXPECT_EQ(pair.point().own.q[0].d[0], 1);
  EXPECT_EQ(pair.point().own.q[0].d[1], 12);
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
      ASSERT_FALSE(flow.pairs().empty());
      if (extent == TangentFlow<double>::Extent::one_pair) {
        EXPECT_NEAR(flow.area(), 1, 1e-15);
        EXPECT_LT(flow.pairs()[0].lengths(), 50 * std::abs(wedge(flow.pairs()[0], 0, flow.pairs()[0], 1)));
      } else {
        EXPECT_EQ(flow.dimension(), static_cast<std::size_t>(2 * (map.system->n() - map.system->m())));
      }
      const auto dual = make_map<Tangents>(choice);
      Manifold<Tangents>& manifold = *dual.manifold;
      for (const auto& pair : flow.pairs()) {
        const auto& w = pair.point();
        EXPECT_LE(std::abs(manifold.position_residual(w.q.data(), Tangents(0)).value.value), 1e-14);
        auto moved = w;
        static_cast<void>(manifold.project_position(moved));
        static_cast<void>(manifold.project_momentum(moved));
        for (std::size_t j = 0; j < w.q.size(); ++j)
          for (const int i : {0, 1}) {
            EXPECT_NEAR(moved.q[j].d[i], w.q[j].d[i], 1e-13);
            EXPECT_NEAR(moved.p[j].d[i], w.p[j].d[i], 1e-13);
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
double wedge_by_differences(const Choice& choice, int steps, double h, int every) {
  auto map = make_map<double>(choice);
  const auto start = test::start<Quad>(test::problem(choice.problem));
  TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           TangentFlow<double>::Extent::one_pair);
  flow.start(test::start<double>(test::problem(choice.problem)), 0.05);
  const PhasePoint<Tangents>& w = flow.pairs()[0].point();
  const auto e = static_cast<Quad>(1e-9);
  std::array<PhasePoint<Quad>, 4> points;
  for (std::size_t k = 0; k < 4; ++k) {
    auto neighbour = make_map<Quad>(choice);
    PhasePoint<Quad> z = start;
    const Quad distance = k % 2 == 0 ? -e : e;
    for (std::size_t j = 0; j < z.q.size(); ++j) {
      z.q[j] += distance * static_cast<Quad>(w.q[j].d[k / 2]);
      z.p[j] += distance * static_cast<Quad>(w.p[j].d[k / 2]);
    }
    z.touch();
    if (neighbour.system->m() > 0) {
      EXPECT_TRUE(neighbour.manifold->project_position(z).converged);
      EXPECT_TRUE(neighbour.manifold->project_momentum(z).converged);
    }
    neighbour.projector->start(z);
    for (int i = 1; i <= steps; ++i) {
      EXPECT_TRUE(neighbour.integrator->step(z, static_cast<Quad>(h)).ok);
      if (neighbour.projector->is_active() && i % every == 0) {
        EXPECT_TRUE(neighbour.projector->project(z).ok);
      }
    }
    points[k] = z;
  }
  Quad sum = 0;
  const auto d = [&](std::size_t i, std::vector<Quad> PhasePoint<Quad>::*part, std::size_t j) {
    return ((points[2 * i + 1].*part)[j] - (points[2 * i].*part)[j]) / (2 * e);
  };
  for (std::size_t j = 0; j < start.q.size(); ++j)
    sum += d(0, &PhasePoint<Quad>::q, j) * d(1, &PhasePoint<Quad>::p, j) -
           d(1, &PhasePoint<Quad>::q, j) * d(0, &PhasePoint<Quad>::p, j);
  return static_cast<double>(sum) / wedge(flow.pairs()[0], 0, flow.pairs()[0], 1);
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
  for (const auto& choice : choices) {
    SCOPED_TRACE(choice.problem + ", " + choice.method + ", " + choice.formulation);
    FollowedRun<double> run(choice, {"wedge"});
    run.go(30, 0.1, 2);
    const double expected = std::abs(wedge_by_differences(choice, 30, 0.1, 2) - 1);
    EXPECT_GT(expected, 1e-12);
    EXPECT_NEAR(run["wedge"], expected, 1e-9);
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
    EXPECT_GT(pair.p_unit(), 0.5);
    EXPECT_LT(pair.p_unit(), 2);
  }
  for (const char* x : {"0", "100", "1e4"}) {
    SCOPED_TRACE(x);
    const auto pair =
        first_pair(fmt::format("[parameters]\na = {}\n[system]\ncoordinates = [\"x\", \"y\"]\n"
                               "hamiltonian = \"(p_x^2 + p_y^2)/2 + y\"\n[constraints]\nrod = \"(x - a)^2 + y^2 = 1\"\n"
                               "[initial]\nx = \"a + 1\"\ny = 0\np_x = 0\np_y = -2\n",
                               x));
    EXPECT_LT(pair.q_unit(), 200);
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

// With friction all vectors become shorter, far beyond the range of numbers.
TEST(TangentFlows, FollowFrictionBeyondTheRangeOfNumbers) {
  const Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"(p_x^2 + x^2)/2\"\ndissipation = \"0.75*v_x^2\"\n"
      "[initial]\nx = 1\np_x = 0\n",
      "text");
  auto map = test::make_map<double>(model, "rk4");
  TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(test::make_map<Tangents>(model, "rk4")),
                           TangentFlow<double>::Extent::one_pair);
  auto z = make_initial_data(model, *map.manifold).z;
  flow.start(z, 0.1);
  for (int k = 0; k < 12000; ++k) {
    const auto begin = z;
    ASSERT_EQ(map.integrator->step(z, 0.1).status, StepStatus::ok);
    flow.follow({.begin = begin, .end = z, .length = 0.1});
  }
  ASSERT_FALSE(flow.loss()) << flow.loss()->why;
  EXPECT_NEAR(flow.log_growth() / 1200, -0.75, 0.002);
  EXPECT_EQ(flow.area(), 0) << "exp(-1800)";
}

// Monitors read a run and do not change it.
TEST(TangentFlows, LeaveTheRunAlone) {
  const Choice choice{"double_pendulum", "gauss:2", "state-space"};
  FollowedRun<double> run(choice, {"wedge", "symplectic"}), alone(choice, {"energy"});
  run.go(50, 0.1);
  alone.go(50, 0.1);
  EXPECT_EQ(run.point().q, alone.point().q);
  EXPECT_EQ(run.point().p, alone.point().p);
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
    const TangentPair first = flow.pairs()[0];
    const double q_unit = first.q_unit(), p_unit = first.p_unit();

    auto here = make_map<Quad>(choice), there = make_map<Quad>(choice);
    const auto e = static_cast<Quad>(1e-12);
    PhasePoint<Quad> z = test::start<Quad>(test::problem(choice.problem)), w = z;
    for (std::size_t j = 0; j < z.q.size(); ++j) {
      w.q[j] += e * static_cast<Quad>(first.point().q[j].d[0]);
      w.p[j] += e * static_cast<Quad>(first.point().p[j].d[0]);
    }
    w.touch();
    EXPECT_TRUE(there.manifold->project_position(w).converged);
    EXPECT_TRUE(there.manifold->project_momentum(w).converged);
    const auto distance = [&] {
      Quad sum = 0;
      for (std::size_t j = 0; j < z.q.size(); ++j) {
        const Quad dq = (w.q[j] - z.q[j]) / static_cast<Quad>(q_unit),
                   dp = (w.p[j] - z.p[j]) / static_cast<Quad>(p_unit);
        sum += dq * dq + dp * dp;
      }
      return sqrt(sum);
    };
    double growth = 0;
    Quad before = distance();
    PhasePoint<double> run = start;
    for (int k = 0; k < kSteps; ++k) {
      const PhasePoint<double> begin = run;
      ASSERT_TRUE(map.integrator->step(run, kStep).ok);
      flow.follow({begin, run, kStep, 1, false});
      ASSERT_TRUE(here.integrator->step(z, static_cast<Quad>(kStep)).ok);
      ASSERT_TRUE(there.integrator->step(w, static_cast<Quad>(kStep)).ok);
      growth += std::log(static_cast<double>(distance() / before));
      before = distance();
      if (before < static_cast<Quad>(1e-9)) continue;
      const Quad back = e / before;
      const auto shrink = [&](std::vector<Quad>& x, const std::vector<Quad>& centre) {
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = centre[j] + back * (x[j] - centre[j]);
      };
      shrink(w.q, z.q);
      shrink(w.p, z.p);
      if (!w.own.p.empty()) shrink(w.own.q, z.own.q), shrink(w.own.p, z.own.p);
      const bool owned = w.own.revision == w.revision;
      w.touch();
      if (owned) w.own.revision = w.revision;
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
  const double expected = std::abs(wedge_by_differences(choice, 20, 0.1, 1) - 1);
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
  z.touch();
  flow.start(z, 0.01);
  EXPECT_FALSE(flow.loss());
  EXPECT_NEAR(flow.area(), 1, 1e-14);
}

// dq_1.dp_2 - dp_1.dq_2 with the momenta themselves.
double wedge_of_momenta(const PhasePoint<Tangents>& w) {
  double sum = 0;
  for (std::size_t j = 0; j < w.q.size(); ++j) sum += w.q[j].d[0] * w.p[j].d[1] - w.p[j].d[0] * w.q[j].d[1];
  return sum;
}

// The momenta that follow from the impetus have the tangents that were lifted; with dp* = dp they would not.
TEST(ImpetusTangents, LeadBackToTheMomenta) {
  const Choice choice{"torus", "gauss:2", "impetus"};
  auto map = make_map<Tangents>(choice);
  EXPECT_TRUE(has_impetus(*map.integrator));
  auto reference = make_map<double>(choice);
  TangentFlow<double> flow(*reference.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           Extent::one_pair);
  flow.start(test::start<double>(test::problem(choice.problem)), 0.05);
  PhasePoint<Tangents> w = flow.pairs()[0].point();
  for (int k = 0; k < 40; ++k) ASSERT_TRUE(map.integrator->step(w, 0.05).ok);

  Impetus<Tangents> impetus(*map.manifold);
  const auto distance = [&] {
    PhasePoint<Tangents> physical = w;
    EXPECT_TRUE(impetus.leave(w.own, physical));
    double most = 0;
    for (std::size_t j = 0; j < w.p.size(); ++j)
      for (const int i : {0, 1}) most = std::max(most, std::abs(physical.p[j].d[i] - w.p[j].d[i]));
    return most;
  };
  EXPECT_LE(distance(), 1e-12);
  const OwnVariables<Tangents> carried = w.own;
  ASSERT_TRUE(ImpetusTangent(*map.manifold).lift(w));
  EXPECT_LE(distance(), 1e-12);
  double changed = 0;
  for (std::size_t j = 0; j < w.p.size(); ++j)
    changed = std::max(changed, std::abs(w.own.p[j].d[0] - carried.p[j].d[0]));
  EXPECT_GE(changed, 1e-3) << "dl has been left out";
  for (std::size_t j = 0; j < w.p.size(); ++j)
    for (const int i : {0, 1}) w.own.p[j].d[i] = w.p[j].d[i];
  EXPECT_GE(distance(), 1e-3);
}

TEST(ImpetusTangents, BelongToNoOtherVariables) {
  for (const auto& [method, formulation] :
       {std::pair{"rattle", ""}, {"gauss:2", "state-space"}, {"gauss:2", "dirac"}, {"gauss:2", "lagrange-1"}})
    EXPECT_FALSE(has_impetus(*make_map<Tangents>({"pendulum", method, formulation}).integrator)) << formulation;
  EXPECT_TRUE(has_impetus(*make_map<Tangents>({"pendulum", "compose:4(implicit-midpoint)", "impetus"}).integrator));
}

// Where neighbours separate vectors are combined and renewed, and variables of the formulation with them.
TEST(TangentFlows, SurviveChaosInVariablesOfAFormulation) {
  for (const auto& [method, formulation, is_symplectic] :
       {std::tuple{"implicit-midpoint", "impetus", true}, {"rk4", "impetus", false}, {"rk4", "lagrange-1", false}}) {
    SCOPED_TRACE(std::string(method) + ", " + formulation);
    FollowedRun<double> run({"double_pendulum", method, formulation}, {"wedge", "symplectic"});
    run.go(1500, 0.05);
    if (is_symplectic) {
      EXPECT_LE(run["wedge"], 1e-9);
      EXPECT_LE(run["symplectic"], 1e-11);
    } else {
      EXPECT_GE(run["wedge"], 1e-6);
      EXPECT_GE(run["symplectic"], 1e-6);
    }
  }
}

// Gauss's methods keep g if it is quadratic, as that of an ellipsoid and not of a torus is: otherwise they keep
// dq ^ dp*, but not dq ^ dp, nor anything over resets.
TEST(TangentFlows, TellTheFormThatAnImpetusKeeps) {
  for (const bool is_quadratic : {true, false}) {
    const Choice choice{is_quadratic ? "ellipsoid" : "torus", "gauss:2", "impetus"};
    SCOPED_TRACE(choice.problem);
    auto map = make_map<double>(choice);
    TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                             Extent::one_pair);
    PhasePoint<double> z = test::start<double>(test::problem(choice.problem));
    flow.start(z, 0.1);
    const double before = wedge_of_momenta(flow.pairs()[0].point());
    double defect = 0;
    for (int k = 0; k < 12; ++k) {
      const PhasePoint<double> begin = z;
      ASSERT_TRUE(map.integrator->step(z, 0.1).ok);
      flow.follow({begin, z, 0.1, 1, false});
      defect = std::max(defect, std::abs(wedge_of_momenta(flow.pairs()[0].point()) / before - 1));
      EXPECT_NEAR(flow.area(), 1, 1e-12);
    }
    if (is_quadratic) {
      EXPECT_LE(defect, 1e-12);
    } else {
      EXPECT_GE(defect, 1e-10);
    }

    Choice with_resets = choice;
    with_resets.options.impetus_reset = 5;
    FollowedRun<double> run(with_resets, {"wedge", "symplectic"});
    run.go(40, 0.1);
    EXPECT_EQ(run.facts().symplectic, is_quadratic);
    if (is_quadratic) {
      EXPECT_LE(run["wedge"], 1e-12);
      EXPECT_LE(run["symplectic"], 1e-12);
    } else {
      EXPECT_GE(run["wedge"], 1e-10);
      EXPECT_GE(run["symplectic"], 1e-10);
    }
  }
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

// In the first stretch the change is that of the map; in others it adds up, and is neither lost nor made larger.
TEST(TangentFlows, AddUpTheChangesOfABasis) {
  const Choice choice{"pendulum", "rk4", "state-space"};
  auto map = make_map<double>(choice);
  TangentFlow<double> flow(*map.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           Extent::basis);
  PhasePoint<double> z = test::start<double>(test::problem(choice.problem));
  flow.start(z, 0.1);
  const auto product = [&] { return wedge(flow.pairs()[0], 0, flow.pairs()[0], 1) / flow.pairs()[0].unit(); };
  const double before = product();
  for (int k = 0; k < 5; ++k) {
    const PhasePoint<double> begin = z;
    ASSERT_TRUE(map.integrator->step(z, 0.1).ok);
    flow.follow({begin, z, 0.1, 1, false});
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
