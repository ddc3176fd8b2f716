#include "cotangent/monitor/tangent/impetus_tangent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "cotangent/formulation/formulation.hpp"
#include "tests/monitor/followed_run.hpp"

// Tangents in variables of a formulation: they are lifted with the momenta, and it is the form in q and p* that an
// impetus keeps.

namespace cotangent {
namespace {

using test::Choice;
using test::Extent;
using test::FollowedRun;
using test::make_map;

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
  EXPECT_TRUE(map.integrator->facts().has_impetus);
  auto reference = make_map<double>(choice);
  TangentFlow<double> flow(*reference.manifold, std::make_shared<StepMap<Tangents>>(make_map<Tangents>(choice)),
                           Extent::one_pair);
  flow.start(test::start<double>(test::problem(choice.problem)), 0.05);
  Point<Tangents> w = flow.frame().points()[0];
  for (int k = 0; k < 40; ++k) ASSERT_TRUE(map.integrator->step(w, 0.05).ok);

  const auto impetus = find_formulation<Tangents>("impetus").make(*map.manifold);
  const auto distance = [&] {
    PhasePoint<Tangents> physical = w;
    EXPECT_TRUE(impetus->leave(w.own(), physical));
    double most = 0;
    for (std::size_t j = 0; j < w->p.size(); ++j)
      for (const int i : {0, 1}) most = std::max(most, std::abs(physical.p[j].d[i] - w->p[j].d[i]));
    return most;
  };
  EXPECT_LE(distance(), 1e-12);
  const OwnVariables<Tangents> carried = w.own();
  ASSERT_TRUE(ImpetusTangent(*map.manifold).lift(w));
  EXPECT_LE(distance(), 1e-12);
  double changed = 0;
  for (std::size_t j = 0; j < w->p.size(); ++j)
    changed = std::max(changed, std::abs(w.own().p[j].d[0] - carried.p[j].d[0]));
  EXPECT_GE(changed, 1e-3) << "dl has been left out";
  for (std::size_t j = 0; j < w->p.size(); ++j)
    for (const int i : {0, 1}) w.own().p[j].d[i] = w->p[j].d[i];
  EXPECT_GE(distance(), 1e-3);
}

TEST(ImpetusTangents, BelongToNoOtherVariables) {
  for (const auto& [method, formulation] :
       {std::pair{"rattle", ""}, {"gauss:2", "state-space"}, {"gauss:2", "dirac"}, {"gauss:2", "lagrange-1"}})
    EXPECT_FALSE(make_map<Tangents>({"pendulum", method, formulation}).integrator->facts().has_impetus) << formulation;
  EXPECT_TRUE(
      make_map<Tangents>({"pendulum", "compose:4(implicit-midpoint)", "impetus"}).integrator->facts().has_impetus);
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
    Point<double> z = test::start<double>(test::problem(choice.problem));
    flow.start(z, 0.1);
    const double before = wedge_of_momenta(flow.frame().points()[0]);
    double defect = 0;
    for (int k = 0; k < 12; ++k) {
      const Point<double> begin = z;
      ASSERT_TRUE(map.integrator->step(z, 0.1).ok);
      flow.follow({begin, z, 0.1});
      defect = std::max(defect, std::abs(wedge_of_momenta(flow.frame().points()[0]) / before - 1));
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

}  // namespace
}  // namespace cotangent
