#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "cotangent/integrator/composed/composition_tables.hpp"
#include "tests/integrator/method_contract.hpp"
#include "tests/integrator/runner.hpp"
#include "tests/integrator/word_series.hpp"
#include "tests/support/unit_pendulum.hpp"

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;
using test::WordSeries;

// Psi as a series in the letters Y_1, Y_{inner + 1}, Y_{inner + 3}, ...: exp(gamma_1 Y_1 + gamma_1^3 Y_3 + ...) ...
WordSeries series(const std::vector<Quad>& gamma, int inner, int most) {
  std::vector<int> degrees{1};
  for (int d = inner + 1; d <= most; d += 2) degrees.push_back(d);
  WordSeries product(degrees, most);
  for (const Quad& g : gamma) {
    std::vector<Quad> x;
    for (const int d : degrees) {
      Quad power = 1;
      for (int k = 0; k < d; ++k) power *= g;
      x.push_back(power);
    }
    product.multiply_by_exponential(x);
  }
  return product;
}

// exp(Y_1): what a composition is to be.
WordSeries flow(int inner, int most) {
  std::vector<int> degrees{1};
  for (int d = inner + 1; d <= most; d += 2) degrees.push_back(d);
  WordSeries exact(degrees, most);
  std::vector<Quad> x(degrees.size(), 0);
  x[0] = 1;
  exact.multiply_by_exponential(x);
  return exact;
}

TEST(CompositionTables, SatisfyTheConditionsOfTheirOrderAndNoMore) {
  int count = 0;
  for (const int inner : {2, 4, 6, 8, 10}) {
    for (const int order : {4, 6, 8, 10, 12}) {
      const auto tables = compositions(order, inner);
      EXPECT_EQ(tables.empty(), order <= inner || (order == 12 && inner < 10)) << inner << " to " << order;
      for (const auto& table : tables) {
        if (inner > 2 && order != inner + 2) continue;  // fewer of the same conditions
        const std::string what = table.name + std::to_string(order) + " from " + std::to_string(inner);
        EXPECT_EQ(table.order, order);
        Quad sum = 0;
        for (std::size_t k = 0; k < table.gamma.size(); ++k) {
          sum += table.gamma[k];
          EXPECT_TRUE(table.gamma[k] == table.gamma[table.gamma.size() - 1 - k]) << what;
        }
        EXPECT_LE(static_cast<double>(abs(sum - 1)), 1e-32) << what;
        const WordSeries psi = series(table.gamma, inner, order + 1), exact = flow(inner, order + 1);
        for (int d = 1; d <= order; ++d) EXPECT_LE(static_cast<double>(psi.distance(exact, d)), 2e-32) << what;
        EXPECT_GE(static_cast<double>(psi.distance(exact, order + 1)), 1e-10) << what;
        ++count;
      }
    }
  }
  EXPECT_EQ(count, 9 + 5 + 5 + 3 + 2);
}

// Order 4 from a method of order 2 that takes four steps: rational.
TEST(CompositionTables, OfEqualStepsAreKnown) {
  const auto gamma = find_composition(4, 2).gamma;
  ASSERT_EQ(gamma.size(), 9U);
  EXPECT_NEAR(static_cast<double>(gamma[0]), 1.0 / 6, 1e-16);
  EXPECT_NEAR(static_cast<double>(gamma[4]), -1.0 / 3, 1e-16);
  const double cube_root = std::cbrt(2.0);
  EXPECT_NEAR(static_cast<double>(steps_around_one_back(1, 2)[0]), 1 / (2 - cube_root), 1e-15);
}

// log2 of the ratio of errors with 2 `steps` steps and with `steps`, against a run with the most accurate of methods.
double measured_order(const std::string& method, const Problem& problem, int steps, const std::string& formulation = "",
                      double end = 0.5) {
  MethodRunner<Quad> s(method, problem, Backend::interpreter, formulation), r("compose:10(rattle)", problem);
  const auto run = [&](MethodRunner<Quad>& runner, int count) {
    auto z = test::start<Quad>(problem);
    for (int k = 0; k < count; ++k) EXPECT_TRUE(is_ok(runner.step(z, static_cast<Quad>(end) / count)));
    return z;
  };
  const auto exact = run(r, 64);
  const double coarse = static_cast<double>(test::distance(run(s, steps), exact)),
               fine = static_cast<double>(test::distance(run(s, 2 * steps), exact));
  EXPECT_GT(fine, 1e-24);
  return std::log2(coarse / fine);
}

TEST(Compositions, HaveTheirOrderOnConstrainedMotion) {
  const Problem& problem = test::problem("double_pendulum");
  for (const char* name : {"compose:4:suzuki(rattle)", "triple-jump(rattle)"})
    EXPECT_NEAR(measured_order(name, problem, 64), 4, 0.15) << name;
  for (const char* name : {"compose:6:kahan-li(rattle)", "triple-jump(triple-jump(rattle))",
                           "compose:6:yoshida(rattle)", "compose:6(compose:4(rattle))"})
    EXPECT_NEAR(measured_order(name, problem, 32), 6, 0.2) << name;
  for (const char* name :
       {"compose:8:kahan-li(rattle)", "compose:8:mclachlan(rattle)", "compose:8(triple-jump(rattle))"})
    EXPECT_NEAR(measured_order(name, problem, 16), 8, 0.3) << name;
  EXPECT_NEAR(measured_order("compose:6(gauss:2)", problem, 8, "total"), 6, 0.3);
  EXPECT_EQ(find_method<double>("triple-jump(triple-jump(rattle))").facts.order, 6);
  EXPECT_EQ(find_method<double>("compose:12(compose:10(rattle))").facts.order, 12);
}

// The time, forces and states: substeps see their own times.
TEST(Compositions, HaveTheirOrderWhereTimeAndForcesAct) {
  for (const auto& mechanism : {test::kMovingSupport, test::kDamped}) {
    test::Runner<Quad> four(mechanism, "compose:4(rattle)"), eight(mechanism, "compose:8(rattle)");
    const auto end = static_cast<Quad>(0.5);
    const auto exact = eight.run(16, end);
    EXPECT_NEAR(static_cast<double>(exact->t), 0.5, 1e-30);
    const double coarse = static_cast<double>(test::distance(four.run(8, end), exact)),
                 fine = static_cast<double>(test::distance(four.run(16, end), exact));
    EXPECT_GT(fine, 1e-14) << mechanism.name;
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.3) << mechanism.name;
  }
}

TEST(Compositions, AreStepsOfTheMethodInTurn) {
  const Problem& problem = test::problem("torus");
  MethodRunner<double> whole("compose:6:kahan-li(rattle)", problem), parts("rattle", problem);
  auto z = test::start<double>(problem), x = z;
  std::int64_t iterations = 0, evaluations = 0;
  const double h = 0.05;
  for (int k = 0; k < 3; ++k) {
    const auto report = whole.step(z, h);
    ASSERT_TRUE(is_ok(report));
    iterations += report.iterations;
    evaluations += report.evaluations;
    for (const Quad& gamma : find_composition(6, 2, "kahan-li").gamma) {
      const auto part = parts.step(x, static_cast<double>(gamma) * h);
      ASSERT_TRUE(is_ok(part));
      iterations -= part.iterations;
      evaluations -= part.evaluations;
    }
    EXPECT_EQ(z->q, x->q);
    EXPECT_EQ(z->p, x->p);
    EXPECT_EQ(z->t, (k + 1) * h);
  }
  EXPECT_EQ(iterations, 0);
  EXPECT_EQ(evaluations, 0);
}

// A step so long that its first part is made and a later one is not.
double step_that_fails_on_the_way(const Problem& problem, const std::string& composition, double first_part) {
  for (double h = 0.2; h < 20; h *= 1.1) {
    MethodRunner<double> whole(composition, problem), part("rattle", problem);
    auto z = test::start<double>(problem), x = z;
    if (!is_ok(part.step(x, first_part * h))) return 0;
    if (!is_ok(whole.step(z, h))) return h;
  }
  return 0;
}

TEST(Compositions, LeaveThePointWhereAPartFails) {
  const Problem& problem = test::problem("double_pendulum");
  const double first = static_cast<double>(find_composition(4, 2, "suzuki").gamma[0]);
  const double h = step_that_fails_on_the_way(problem, "compose:4:suzuki(rattle)", first);
  ASSERT_GT(h, 0);
  MethodRunner<double> s("compose:4:suzuki(rattle)", problem), fresh("compose:4:suzuki(rattle)", problem);
  auto z = test::start<double>(problem);
  const auto before = z;
  const auto report = s.step(z, h);
  EXPECT_NE(report.status, StepStatus::ok);
  EXPECT_GT(report.iterations, 0);
  EXPECT_EQ(z->q, before->q);
  EXPECT_EQ(z->p, before->p);
  EXPECT_EQ(z->q_low, before->q_low);
  EXPECT_EQ(z->p_low, before->p_low);
  EXPECT_EQ(z->t, before->t);
  auto same = before;
  ASSERT_TRUE(is_ok(s.step(z, 0.02)) && is_ok(fresh.step(same, 0.02)));
  EXPECT_LE(test::distance(z, same), 1e-14);

  // In a batch, one lane of which starts where the step is too long; for the others it is not.
  const Problem& easy = test::problem("pendulum");
  MethodRunner<Lanes> batch("compose:4:suzuki(rattle)", easy);
  MethodRunner<double> alone("compose:4:suzuki(rattle)", easy), part("rattle", easy);
  int found = 0;
  for (double faster = 2; faster < 1000; faster *= 1.3) {
    auto slow = test::start<double>(easy), fast = slow;
    for (double& p : fast.change().p) p *= faster;
    fast.forget();
    auto x = fast;
    if (!is_ok(part.step(x, first * 0.02))) break;
    auto lanes = test::start<Lanes>(easy);
    test::set_lane(lanes.change(), 1, fast);
    const auto of_lanes = batch.step(lanes, 0.02);
    ASSERT_TRUE(is_ok(alone.step(slow, 0.02)));
    EXPECT_TRUE(lane(of_lanes.ok, 0));
    EXPECT_EQ(lanes->t, slow->t);
    for (std::size_t j = 0; j < slow->q.size(); ++j) {
      EXPECT_EQ(lanes->q[j][0], slow->q[j]);
      EXPECT_EQ(lanes->p[j][0], slow->p[j]);
      if (lane(of_lanes.ok, 1)) continue;
      EXPECT_EQ(lanes->q[j][1], fast->q[j]);
      EXPECT_EQ(lanes->p[j][1], fast->p[j]);
    }
    if (lane(of_lanes.ok, 1)) continue;
    ++found;
    // From there on they go on as they would have.
    ASSERT_TRUE(is_ok(alone.step(slow, 0.02)));
    static_cast<void>(batch.step(lanes, 0.02));
    for (std::size_t j = 0; j < slow->q.size(); ++j) EXPECT_NEAR(lanes->q[j][0], slow->q[j], 1e-15);
  }
  EXPECT_GT(found, 0) << "no lane failed on the way";
}

// E = 2: it goes over the top, through all charts, in every turn. Parts in different charts would be steps of different
// methods, and their errors, h^3 each, would not cancel.
const Problem kRotating{.name = "rotating", .text = test::rotating_pendulum()};

TEST(Compositions, AreMadeInOneChart) {
  MethodRunner<Quad> s("compose:6(implicit-midpoint)", kRotating, Backend::interpreter, "state-space");
  std::int64_t charts = 0;
  auto z = test::start<Quad>(kRotating);
  for (int k = 0; k < 60; ++k) {
    const auto report = s.step(z, static_cast<Quad>(3) / 60);
    ASSERT_TRUE(is_ok(report));
    charts += report.charts;
  }
  EXPECT_GE(charts, 3);
  EXPECT_NEAR(measured_order("compose:6:kahan-li(implicit-midpoint)", kRotating, 120, "state-space", 3), 6, 0.4);
  EXPECT_NEAR(measured_order("triple-jump(triple-jump(implicit-midpoint))", kRotating, 240, "state-space", 3), 6, 0.4);
}

// The error after the same number of steps of rattle, alone and composed.
TEST(Compositions, AreWorthTheirWork) {
  const Problem& problem = test::problem("double_pendulum");
  const auto run = [&](const std::string& name, int steps) {
    MethodRunner<Quad> s(name, problem);
    auto z = test::start<Quad>(problem);
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(is_ok(s.step(z, static_cast<Quad>(1) / steps)));
    return z;
  };
  const auto exact = run("compose:10(rattle)", 40);
  const int work = 420;
  const double two = static_cast<double>(test::distance(run("rattle", work), exact)),
               four = static_cast<double>(test::distance(run("compose:4(rattle)", work / 9), exact)),
               six = static_cast<double>(test::distance(run("compose:6(rattle)", work / 13), exact)),
               eight = static_cast<double>(test::distance(run("compose:8(rattle)", work / 21), exact));
  EXPECT_LT(four, two / 30);
  EXPECT_LT(six, four / 10);
  EXPECT_LT(eight, six);
  EXPECT_LT(eight, two / 1e5);
}

std::string refusal(const std::string& name, const Problem& problem = test::problem("pendulum"),
                    const std::string& formulation = "", const FormulationOptions& options = {}) {
  test::Instance<double> instance(problem);
  try {
    static_cast<void>(find_method<double>(name).make(instance.manifold, formulation, options));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Compositions, RefuseWhatTheyAreNotMadeOf) {
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(refusal("compose:4(rk4)"), "'rk4' is not symmetric"));
  EXPECT_TRUE(says(refusal("triple-jump(rk4)"), "'rk4' is not symmetric"));
  EXPECT_TRUE(says(refusal("compose:7(rattle)"), "raised to order 4, or to any of 6, 8, 10"));
  EXPECT_TRUE(says(refusal("compose:4(gauss:2)"), "of order 4 is raised to order 6"));
  EXPECT_TRUE(says(refusal("compose:6:suzuki(rattle)"), "sofroniou-spaletta, kahan-li, yoshida, not 'suzuki'"));
  EXPECT_TRUE(says(refusal("compose(rattle)"), "takes an order"));
  EXPECT_TRUE(says(refusal("compose:x(rattle)"), "takes an order"));
  EXPECT_TRUE(says(refusal("compose:4:a:b(rattle)"), "takes an order"));
  EXPECT_TRUE(says(refusal("compose:4"), "made of another method"));
  EXPECT_TRUE(says(refusal("triple-jump:2(rattle)"), "no arguments"));
  EXPECT_TRUE(says(refusal("compose:4(ratle)"), "rattle"));
  EXPECT_TRUE(says(refusal("compose:4(rattle"), "parenthesis"));
  EXPECT_TRUE(says(refusal("compose:4(rattle)", test::problem("pendulum"), "total"), "takes the formulation direct"));
  EXPECT_TRUE(says(refusal("compose:4(implicit-midpoint)", test::problem("pendulum"), "state-space",
                           {.chart_update = ChartUpdate::hysteresis}),
                   "not symmetric on the formulation 'state-space'"));
  EXPECT_EQ(refusal("compose:4(implicit-midpoint)", test::problem("pendulum"), "total"), "");
}

// What is lost under a formulation is lost for the composition.
TEST(Compositions, ClaimWhatTheirMethodsClaim) {
  test::Instance<double> instance(test::problem("pendulum"));
  const auto method = find_method<double>("compose:4(implicit-midpoint)");
  EXPECT_TRUE(method.facts.symplectic);
  const auto standard = method.make(instance.manifold, "standard");
  EXPECT_FALSE(standard->facts().symplectic);
  EXPECT_FALSE(standard->facts().keeps_position);
  EXPECT_TRUE(standard->facts().symmetric);
  EXPECT_EQ(standard->facts().order, 4);
  EXPECT_EQ(standard->facts().kind, MethodKind::composition);
}

}  // namespace
}  // namespace cotangent
