#include "cotangent/manifold/redundancy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/integrator/method_contract.hpp"

// Constraints that follow from others on the manifold, but off it are independent by the size of residuals.

namespace cotangent {
namespace {

using test::is_ok;
using test::MethodRunner;
using test::Problem;

const Problem kTwice{.name = "twice", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
again = "(1 + x/2)*(x^2 + y^2 - 1) = 0"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
)toml"};

// Dependent in its flat position only.
const Problem kFlat{.name = "flat", .text = R"toml(
[system]
coordinates = ["x", "y", "u", "w"]
hamiltonian = "(p_x^2 + p_y^2 + p_u^2 + p_w^2)/2 + y + 2*w"
[constraints]
left = "x^2 + y^2 = 1"
coupler = "(x - u)^2 + (y - w)^2 = 4"
right = "(u - 2)^2 + w^2 = 1"
[initial]
x = 1
y = 0
u = 3
w = 0
p_x = 0
p_y = 0.5
p_u = 0
p_w = 0.5
)toml"};

TEST(Redundancy, CountsWhatFollowsFromOthersEverywhere) {
  for (const auto& [problem, count] : {std::pair(kTwice, 1U), {kFlat, 0U}, {test::problem("double_pendulum"), 0U}}) {
    test::Instance<double> instance(problem);
    const Point<double> z = test::converted<double>(test::given_point(instance.model));
    settle_redundancy(instance.manifold, z.state());
    EXPECT_EQ(instance.manifold.matrix().nullity(), count) << problem.name;
  }
}

// The same without the second constraint.
const Problem kOnce{.name = "once", .text = [] {
                      std::string text = kTwice.text;
                      const auto begin = text.find("again");
                      return text.erase(begin, text.find('\n', begin) + 1 - begin);
                    }()};

// Swings of a pendulum, as if the second constraint were not there.
TEST(Redundancy, DoesNotChangeTheMotion) {
  for (const auto& [method, formulation] : {std::pair("rattle", "direct"),
                                            {"rk4", "standard"},
                                            {"rk4", "lagrange-1"},
                                            {"gauss:2", "dirac"},
                                            {"gauss:2", "total"},
                                            {"gauss:2", "impetus"},
                                            {"lobatto:3", "direct"}}) {
    MethodRunner<double> twice(method, kTwice, Backend::interpreter, formulation),
        single(method, kOnce, Backend::interpreter, formulation);
    Point<double> a = test::converted<double>(test::given_point(twice.instance.model)), b = a;
    settle_redundancy(twice.instance.manifold, a.state());
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(is_ok(twice.step(a, 0.01))) << method << " on " << formulation << ", step " << k;
      ASSERT_TRUE(is_ok(single.step(b, 0.01)));
    }
    // Off the manifold, by errors of the method, the two are different fields.
    EXPECT_LE(test::distance(a, b), 2e-7) << method << " on " << formulation;
  }
}

// In charts there is no off: two motions are one but for rounding. The middle of a step, where its chart is looked for,
// is off the manifold, and the two constraints are independent there.
TEST(Redundancy, IsNotMistakenForAConstraintByCharts) {
  for (const char* method : {"gauss:2", "implicit-midpoint", "rk4"}) {
    for (const char* formulation : {"state-space", "state-space-velocity"}) {
      for (const ChartKind kind : {ChartKind::partition, ChartKind::qr, ChartKind::svd}) {
        const std::string what = fmt::format("{} on {} in chart {}", method, formulation, static_cast<int>(kind));
        MethodRunner<double> twice(method, kTwice, Backend::interpreter, formulation, {.chart = kind}),
            single(method, kOnce, Backend::interpreter, formulation, {.chart = kind});
        Point<double> a = test::converted<double>(test::given_point(twice.instance.model)), b = a;
        settle_redundancy(twice.instance.manifold, a.state());
        const double energy = test::energy(twice.instance.system, a);
        for (int k = 0; k < 400; ++k) {
          ASSERT_TRUE(is_ok(twice.step(a, 0.02))) << what << ", step " << k;
          ASSERT_TRUE(is_ok(single.step(b, 0.02)));
          ASSERT_LE(twice.instance.manifold.position_residual(a->q.data(), 0).value, 4e-15) << what;
          ASSERT_LE(twice.instance.manifold.momentum_residual(a).value, 4e-15) << what;
        }
        EXPECT_LE(test::distance(a, b), 1e-12) << what;
        EXPECT_NEAR(test::energy(twice.instance.system, a), energy, 1e-4) << what;
      }
    }
  }
}

// Without the count the chart of a step is that of no motion at all.
TEST(Redundancy, MustBeKnownToCharts) {
  MethodRunner<double> twice("gauss:2", kTwice, Backend::interpreter, "state-space");
  Point<double> a = test::converted<double>(test::given_point(twice.instance.model));
  bool fails = false;
  for (int k = 0; k < 400 && !fails; ++k) fails = !is_ok(twice.step(a, 0.02));
  EXPECT_TRUE(fails);
}

// In the lowest position what is added up in most rows of G H_p is next to nothing, but rounding errors of q, of which
// dependent rows keep some, are not.
TEST(Redundancy, LeavesRoundingErrorsThatNoMultiplierTakesAway) {
  const Problem cranks{.name = "cranks", .text = R"toml(
[system]
coordinates = ["xb", "yb", "xc", "yc"]
hamiltonian = "(p_xb^2 + p_yb^2 + p_xc^2 + p_yc^2)/2 + yb + yc"
[constraints]
left = "xb^2 + yb^2 = 1"
right = "(xc - 2)^2 + yc^2 = 1"
platform = "(xc - xb)^2 + (yc - yb)^2 = 4"
middle = "((xb + xc)/2 - 1)^2 + ((yb + yc)/2)^2 = 1"
[initial]
xb = "sin(1)"
yb = "-cos(1)"
xc = "2 + sin(1)"
yc = "-cos(1)"
p_xb = 0
p_yb = 0
p_xc = 0
p_yc = 0
)toml"};
  MethodRunner<double> runner("compose:6(rattle)", cranks, test::fastest());
  Point<double> z = test::converted<double>(test::given_point(runner.instance.model));
  settle_redundancy(runner.instance.manifold, z.state());
  ASSERT_EQ(runner.instance.manifold.matrix().nullity(), 1U);
  for (int k = 0; k < 1500; ++k) {
    ASSERT_TRUE(is_ok(runner.step(z, 0.01))) << k;
    ASSERT_LE(runner.instance.manifold.momentum_residual(z).value, 1e-15) << k;
  }
}

// Passes its flat position in every swing: there it is another constraint that follows from others.
TEST(Redundancy, MayBelongToOtherRowsOnTheWay) {
  for (const char* inverse_mass : {"1", "(1 + 0.2*sin(x1*y2))"}) {
    const std::string text = std::string(R"toml(
[system]
coordinates = ["x1", "y1", "x2", "y2"]
hamiltonian = ")toml") + inverse_mass +
                             R"toml(*(p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2)/2 + y1 + y2"
[constraints]
a = "x1^2 + y1^2 = 1"
b = "(x2 - 3)^2 + y2^2 = 1"
c = "(x2 - x1)^2 + (y2 - y1)^2 = 9"
d = "y2 = y1"
[initial]
x1 = "cos(0.3)"
y1 = "sin(0.3)"
x2 = "3 + cos(0.3)"
y2 = "sin(0.3)"
p_x1 = "-0.5*sin(0.3)"
p_y1 = "0.5*cos(0.3)"
p_x2 = "-0.5*sin(0.3)"
p_y2 = "0.5*cos(0.3)"
)toml";
    const Problem parallelogram{.name = inverse_mass, .text = text};
    MethodRunner<double> runner("rattle", parallelogram, test::fastest());
    Point<double> z = test::converted<double>(test::given_point(runner.instance.model));
    settle_redundancy(runner.instance.manifold, z.state());
    ASSERT_EQ(runner.instance.manifold.matrix().nullity(), 1U);
    const double energy = test::energy(runner.instance.system, z);
    for (int k = 0; k < 4000; ++k) {
      ASSERT_TRUE(is_ok(runner.step(z, 0.02))) << inverse_mass << ", " << k;
      // Multipliers whose useless part grew would let these grow with them.
      ASSERT_LE(runner.instance.manifold.position_residual(z->q.data(), 0).value, 2e-14) << inverse_mass << ", " << k;
    }
    EXPECT_NEAR(test::energy(runner.instance.system, z), energy, 1e-3) << inverse_mass;
  }
}

}  // namespace
}  // namespace cotangent
