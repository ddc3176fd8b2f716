#include <gtest/gtest.h>

#include <cmath>

#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/runge_kutta/explicit_rk.hpp"
#include "cotangent/integrator/runge_kutta/explicit_tables.hpp"
#include "tests/integrator/structure.hpp"

// Stage projection, and projected methods, as methods: their equations, their order and what they keep.

namespace cotangent {
namespace {

using test::Mechanism;

template <class T>
struct Staged {
  Staged(const Mechanism& mechanism, const std::string& method, const std::string& formulation,
         const FormulationOptions& options = {.stage_projection = Metric::mass})
      : runner(mechanism) {
    runner.integrator = find_method<T>(method).make(runner.manifold, formulation, options);
  }
  test::Runner<T> runner;
};

const Mechanism kDoublePendulum = test::mechanism(test::problem("double_pendulum"));

// Z = z + h f(W), W the nearest point to (z + Z) / 2: midpoint projection.
TEST(StageProjection, OfTheMidpointRuleIsMidpointProjection) {
  for (const Metric metric : {Metric::mass, Metric::euclidean}) {
    for (const std::string formulation : {"standard", "dirac"}) {
      Staged<Quad> staged(kDoublePendulum, "implicit-midpoint", formulation, {.stage_projection = metric});
      auto& runner = staged.runner;
      auto begin = runner.start();
      const Quad h = 0.05Q;
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(runner.step(begin, h));  // off the manifold by now
      auto end = begin;
      ASSERT_TRUE(runner.step(end, h));
      PhasePoint<Quad> middle = begin;
      const std::size_t n = begin->q.size();
      for (std::size_t j = 0; j < n; ++j) {
        middle.q[j] = (begin->q[j] + end->q[j]) / 2;
        middle.p[j] = (begin->p[j] + end->p[j]) / 2;
      }

      const double off = static_cast<double>(runner.manifold.position_residual(middle.q.data(), 0).value);
      EXPECT_GT(off, 1e-8);
      OrthogonalProjection<Quad> nearest(runner.manifold, metric, {.g = true, .psi = true});
      nearest.set_step(h);
      ASSERT_EQ(nearest(middle).status, StepStatus::ok);
      const auto field = find_formulation<Quad>(formulation).make(runner.manifold);
      std::vector<Quad> q_dot(n), p_dot(n), s_dot(1);
      ASSERT_TRUE(field->field(middle, q_dot.data(), p_dot.data(), s_dot.data()));
      Quad residual = 0;
      for (std::size_t j = 0; j < n; ++j) {
        residual = max(residual, abs(end->q[j] - begin->q[j] - h * q_dot[j]));
        residual = max(residual, abs(end->p[j] - begin->p[j] - h * p_dot[j]));
      }
      EXPECT_LE(static_cast<double>(residual), 1e-30);
    }
  }
}

TEST(StageProjection, KeepsTheOrder) {
  for (const auto& [method, order] : {std::pair{"implicit-midpoint", 2}, {"rk4", 4}, {"gauss:2", 4}}) {
    Staged<Quad> staged(kDoublePendulum, method, "standard");
    EXPECT_EQ(staged.runner.integrator->facts().order, order);
    EXPECT_NEAR(test::measured_order(staged.runner, 20, 0.5Q, order), order, 0.15) << method;
  }
}

TEST(StageProjection, KeepsSymmetryButIsNotSymplectic) {
  Staged<Quad> staged(kDoublePendulum, "implicit-midpoint", "dirac"),
      plain(kDoublePendulum, "implicit-midpoint", "dirac", {});
  EXPECT_TRUE(staged.runner.integrator->facts().symmetric);
  EXPECT_FALSE(staged.runner.integrator->facts().symplectic);
  EXPECT_FALSE(staged.runner.integrator->facts().keeps_position);
  EXPECT_TRUE(plain.runner.integrator->facts().symplectic);
  EXPECT_LE(test::asymmetry(staged.runner, 0.1Q), 1e-30);
  EXPECT_GT(test::area_change(staged.runner, 0.1Q), 1e-9);
  EXPECT_LE(test::area_change(plain.runner, 0.1Q), 1e-17);
}

// Nothing holds a point back that is off the manifold: in a motion that does not repeat itself residuals wander away,
// where those of the formulation stay.
TEST(StageProjection, LosesTheConstraintsInLongRuns) {
  const auto growth = [&](const FormulationOptions& options) {
    Staged<double> staged(kDoublePendulum, "implicit-midpoint", "standard", options);
    auto z = staged.runner.start();
    double early = 0, late = 0;
    for (int k = 0; k < 8000; ++k) {
      EXPECT_EQ(staged.runner.integrator->step(z, 0.05).status, StepStatus::ok);
      const double g = staged.runner.manifold.position_residual(z->q.data(), 0).value;
      (k < 800 ? early : late) = std::max(k < 800 ? early : late, g);
    }
    return late / early;
  };
  const double plain = growth({}), staged = growth({.stage_projection = Metric::mass});
  EXPECT_GT(staged, 1.5 * plain);
}

TEST(StageProjection, IsRefusedWhereThereAreNoStagesInQAndP) {
  const auto refusal = [](const std::string& method, const std::string& formulation) -> std::string {
    try {
      Staged<double> staged(kDoublePendulum, method, formulation);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("rattle", "").find("has no stages"), std::string::npos) << refusal("rattle", "");
  EXPECT_NE(refusal("gauss:2", "state-space").find("are not q and p"), std::string::npos);
  EXPECT_NE(refusal("gauss:2", "impetus").find("are not q and p"), std::string::npos);
  EXPECT_EQ(refusal("gauss:2", "standard"), "");
  // Without constraints there is nothing to project.
  Staged<double> free(test::mechanism(test::problem("free")), "rk4", "standard");
  EXPECT_EQ(free.runner.integrator->facts().order, 4);
}

// --- project:KIND(METHOD)

TEST(ProjectedMethod, IsTheMethodFollowedByTheProjection) {
  for (const std::string kind : {"position", "momentum", "both", "joint", "both:euclidean", "joint:energy"}) {
    test::Runner<double> runner(kDoublePendulum, "project:" + kind + "(dopri5)");
    test::Runner<double> plain(kDoublePendulum, "dopri5");
    ProjectionPolicy policy{.projection = find_projection(kind.substr(0, kind.find(':')))};
    if (kind == "both:euclidean") policy.metric = Metric::euclidean;
    if (kind == "joint:energy") policy.invariants = {"energy"};
    Projector<double> projector(plain.manifold, policy);
    projector.set_step(0.05);
    auto a = runner.start(), b = a;
    projector.start(b);
    for (int k = 1; k <= 20; ++k) {
      ASSERT_TRUE(runner.step(a, 0.05));
      ASSERT_TRUE(plain.step(b, 0.05));
      ASSERT_EQ(projector.project(b.change()).status, StepStatus::ok);
      EXPECT_EQ(a->q, b->q) << kind;
      EXPECT_EQ(a->p, b->p) << kind;
    }
    const MethodFacts& facts = runner.integrator->facts();
    EXPECT_EQ(facts.order, 5);
    EXPECT_EQ(facts.error_order, plain.integrator->facts().error_order);
    EXPECT_EQ(facts.keeps_position, kind != "momentum");
    EXPECT_EQ(facts.keeps_momentum, kind != "position");
    EXPECT_EQ(facts.keeps_energy, kind == "joint:energy");
    EXPECT_FALSE(facts.symmetric || facts.symplectic);
  }
}

// A step over dual numbers against differences of the step in Quad: a projected method, and projected stages.
void expect_tangent(const std::string& method, const FormulationOptions& options, Integrator<Tangents>& dual) {
  Staged<Quad> exact(kDoublePendulum, method, "standard", options);
  auto start = exact.runner.start();
  ASSERT_TRUE(exact.runner.step(start, 0.05Q));
  const std::size_t n = start->q.size();
  Point<Tangents> z(static_cast<std::int64_t>(n));
  test::Noise noise(4);
  std::vector<Quad> along;
  const auto set = [&](std::vector<Quad>& x, std::vector<Tangents>& to) {
    for (std::size_t j = 0; j < n; ++j) {
      x[j] = static_cast<double>(x[j]);
      along.push_back(static_cast<double>(noise()));
      to[j] = static_cast<double>(x[j]);
      to[j].d[0] = static_cast<double>(along.back());
    }
  };
  set(start.change().q, z.change().q);
  set(start.change().p, z.change().p);
  ASSERT_EQ(dual.step(z, 0.05).status, StepStatus::ok);
  const auto at = [&](Quad e) {
    auto x = start;
    for (std::size_t j = 0; j < n; ++j) {
      x.change().q[j] += e * along[j];
      x.change().p[j] += e * along[n + j];
    }
    EXPECT_TRUE(exact.runner.step(x, 0.05));
    return x;
  };
  const Quad e = 1e-9Q;
  const auto forth = at(e), back = at(-e);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_NEAR(static_cast<double>((forth->q[j] - back->q[j]) / (2 * e)), z->q[j].d[0], 1e-10);
    EXPECT_NEAR(static_cast<double>((forth->p[j] - back->p[j]) / (2 * e)), z->p[j].d[0], 1e-10);
  }
}

TEST(ProjectedMethod, CarriesTangents) {
  test::Runner<Quad> any(kDoublePendulum);
  System<Tangents> system(any.elements, Backend::interpreter);
  Manifold<Tangents> manifold(system);
  const auto rk4 = [&](const FormulationOptions& options) {
    return std::make_unique<ExplicitRungeKutta<Tangents>>(
        find_method<double>("rk4").facts, rk4_tableau(),
        find_formulation<Tangents>("standard").make(manifold, options));
  };
  for (const std::string kind : {"position", "momentum", "both", "joint"}) {
    Projected<Tangents> dual(find_method<double>("project:" + kind + "(rk4)").facts, manifold,
                             {.projection = find_projection(kind)}, rk4({}));
    expect_tangent("project:" + kind + "(rk4)", {}, dual);
  }
  const FormulationOptions stages{.stage_projection = Metric::mass};
  const auto staged = rk4(stages);
  expect_tangent("rk4", stages, *staged);
}

TEST(ProjectedMethod, IsRefusedWhereItMakesNoSense) {
  const auto refusal = [](const std::string& method, const Mechanism& mechanism) -> std::string {
    try {
      test::Runner<double> runner(mechanism, method);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("project:both(rattle)", kDoublePendulum).find("does not leave the manifold"), std::string::npos);
  EXPECT_NE(refusal("project(rk4)", kDoublePendulum).find("project:both(rk4)"), std::string::npos);
  EXPECT_NE(refusal("project:bth(rk4)", kDoublePendulum).find("'both'"), std::string::npos);
  EXPECT_NE(refusal("project:symmetric(gauss:2)", kDoublePendulum).find("symmetric(gauss:2)"), std::string::npos);
  EXPECT_NE(refusal("project:none(rk4)", kDoublePendulum).find("project:none:energy"), std::string::npos);
  EXPECT_NE(refusal("project:both:enrgy(rk4)", kDoublePendulum).find("'energy'"), std::string::npos);
  EXPECT_NE(refusal("project:both(rk4)", test::mechanism(test::problem("free"))).find("here are none"),
            std::string::npos);
  EXPECT_NE(refusal("compose:4(project:both(implicit-midpoint))", kDoublePendulum).find("not symmetric"),
            std::string::npos);
}

}  // namespace
}  // namespace cotangent
