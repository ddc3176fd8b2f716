#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "cotangent/elements/extract.hpp"
#include "cotangent/formulation/chart/chart.hpp"
#include "tests/formulation/variables.hpp"
#include "tests/support/instance.hpp"

// The state-space form in one chart and in another is one motion: q' and p' of every chart are those of `standard`.

namespace cotangent {
namespace {

using test::Mechanism;
using Setting = test::Setting<Quad>;
using Variables = test::Variables<Quad>;

// A four-bar linkage, x and y of three joints: a closed loop in the plane, that keeps one degree of freedom. One more
// constraint says again what the others say already.
const Mechanism kFourBar{"four_bar", R"toml(
[system]
coordinates = ["r[3,2]"]
hamiltonian = "sum(i in 1..3, norm2(p_r[i])/i + i*r[i,2]) + 0.3*r[2,1]^4"
[constraints]
crank = "norm2(r[1]) = 1"
coupler = "norm2(r[2] - r[1]) = 4"
follower = "norm2(r[2] - [2.5, 0]) = 2.25"
marker = "r[3] = (r[1] + r[2])/2"
again = "norm2(r[1]) + norm2(r[2] - r[1]) = 5"
[initial]
r = [[0.3, 0.9], [2.2, 1.5], [1.2, 1.2]]
p_r = "0.4*sin(i + j)"
)toml"};

// A constraint that follows from others on the manifold, but not off it.
const Mechanism kFollowing{"following", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(1 + x^2)*(p_x^2 + p_y^2)/2 + p_z^2 + x*z"
[constraints]
ellipsoid = "x^2 + 2*y^2 + 3*z^2 = 1"
again = "(2 + x - z)*(x^2 + 2*y^2 + 3*z^2 - 1) = 0"
[initial]
x = 0.5
y = 0.3
z = 0.4
p_x = 0.3
p_y = -0.2
p_z = 0.1
)toml"};

struct OnManifold {
  Mechanism mechanism;
  std::int64_t freedom;  ///< its dimension
};

using Case = std::tuple<ChartKind, OnManifold>;

const char* name_of(ChartKind kind) {
  return kind == ChartKind::partition ? "partition" : kind == ChartKind::qr ? "qr" : "svd";
}

class ChartOf : public testing::TestWithParam<ChartKind> {};

class ChartOn : public testing::TestWithParam<Case> {
 protected:
  Setting setting{std::get<1>(GetParam()).mechanism};
  Variables variables{setting, "state-space", {.chart = std::get<0>(GetParam())}};
};

TEST_P(ChartOn, HasTheFieldOfTheConstrainedMotion) {
  Variables standard(setting, "standard");
  const auto z = setting.start();
  const auto expected = standard.field(standard.enter(z));
  const auto point = variables.enter(z), found = variables.field(point);
  const auto e = static_cast<Quad>(1e-11);
  const auto ahead = variables.leave(Variables::moved(point, found, e));
  const auto behind = variables.leave(Variables::moved(point, found, -e));
  for (std::size_t j = 0; j < z.q.size(); ++j) {
    EXPECT_LE(static_cast<double>(abs((ahead.q[j] - behind.q[j]) / (2 * e) - expected.x[j])), 1e-16);
    EXPECT_LE(static_cast<double>(abs((ahead.p[j] - behind.p[j]) / (2 * e) - expected.y[j])), 1e-16);
  }
}

// However many constraints say the same.
TEST_P(ChartOn, HasAsManyCoordinatesAsThereAreDegreesOfFreedom) {
  const auto point = variables.enter(setting.start());
  EXPECT_EQ(static_cast<std::int64_t>(point.x.size()), std::get<1>(GetParam()).freedom);
}

// Points of the chart are points of the manifold, and come back as they were.
TEST_P(ChartOn, StaysOnTheManifoldWhateverItsCoordinatesAre) {
  auto point = variables.enter(setting.start());
  test::Noise noise(5);
  for (Quad& x : point.x) x += static_cast<Quad>(0.02) * noise();
  for (Quad& y : point.y) y += static_cast<Quad>(0.1) * noise();
  const auto z = variables.leave(point);
  EXPECT_LE(static_cast<double>(setting.manifold.position_residual(z.q.data(), z.t).value), 1e-31);
  EXPECT_LE(static_cast<double>(setting.manifold.momentum_residual(z).value), 1e-29);
  OwnVariables<Quad> own;
  ASSERT_TRUE(variables.formulation->enter(z, own));
  EXPECT_LE(static_cast<double>(test::distance(own.q, point.x)), 1e-30);
  EXPECT_LE(static_cast<double>(test::distance(own.p, point.y)), 1e-29);
}

// Near the manifold, where charts of steps are looked for, a constraint that follows from others is independent of them
// unless it is known to follow. The same over dual numbers, bit for bit.
TEST_P(ChartOf, CountsConstraintsNearTheManifoldAsOnIt) {
  test::Setting<double> setting(kFollowing);
  test::Setting<Tangents> dual(kFollowing);
  const auto atlas_of = [](auto& manifold) {
    return GetParam() == ChartKind::partition ? make_partition_atlas(manifold)
                                              : make_basis_atlas(manifold, GetParam(), true);
  };
  const auto atlas = atlas_of(setting.manifold);
  const auto dual_atlas = atlas_of(dual.manifold);
  std::vector<double> q = setting.start().q;
  for (double& x : q) x += 1e-4;
  EXPECT_EQ(atlas->at(q.data(), 0)->size(), 1);
  setting.manifold.matrix().set_nullity(1);
  dual.manifold.matrix().set_nullity(1);
  const auto chart = atlas->at(q.data(), 0);
  ASSERT_EQ(chart->size(), 2);

  const std::vector<Tangents> q_dual(q.begin(), q.end()), u_dual{0.3, -0.7}, c_dual{0.2, 0.4};
  const auto chart_dual = dual_atlas->at(q_dual.data(), Tangents(0));
  EXPECT_EQ(chart_dual->key(), chart->key());
  ASSERT_TRUE(chart->factor(q.data(), 0));
  ASSERT_TRUE(chart_dual->factor(q_dual.data(), Tangents(0)));
  const std::vector<double> u{0.3, -0.7}, c{0.2, 0.4};
  std::vector<double> v(3);
  std::vector<Tangents> v_dual(3);
  chart->lift(u.data(), c.data(), v.data());
  chart_dual->lift(u_dual.data(), c_dual.data(), v_dual.data());
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(v_dual[j].value, v[j]);
}

// A ring of rods, which sparse elimination does not always get right, through points with symmetries and others.
TEST(Atlas, FindsTheSameChartWhateverItWasAskedBefore) {
  const Mechanism ring{"ring", R"toml(
[parameters]
N = 40
[system]
coordinates = ["r[N,2]"]
hamiltonian = "sum(i in 1..N, norm2(p_r[i])/2)"
[constraints]
rod = { each = "i in 2..N", equation = "norm2(r[i] - r[i-1]) = 1" }
closure = "norm2(r[N] - r[1]) = 1"
pin = "r[1] = [0, 0]"
[initial]
r = { each = "i in 1..N", value = "[i, 0]" }
p_r = { each = "i in 1..N", value = "[0, 0]" }
)toml"};
  System<double> system(std::make_shared<const Elements>(extract_elements(read_model_text(ring.text, ring.name))),
                        Backend::interpreter);
  Manifold<double> manifold(system);
  const auto n = static_cast<std::size_t>(system.n());
  std::vector<std::vector<double>> points;
  for (int shape = 0; shape < 12; ++shape) {
    points.emplace_back(n, 0.0);
    for (std::size_t i = 0; i < n / 2; ++i) {
      const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(n / 2);
      // A circle, a line to and fro, and circles with waves.
      points.back()[2 * i] = shape == 1 ? std::abs(static_cast<double>(i) - 20.0) : std::cos(angle);
      points.back()[2 * i + 1] = shape == 1 ? 0 : std::sin(angle) + 0.1 * shape * std::cos(shape * angle);
    }
  }
  const auto long_used = make_partition_atlas(manifold);
  for (const auto& q : points) {
    const auto chart = long_used->at(q.data(), 0.0);
    EXPECT_EQ(chart->key(), make_partition_atlas(manifold)->at(q.data(), 0.0)->key());
    EXPECT_TRUE(chart->factor(q.data(), 0.0));
  }
  for (const auto& q : points)
    EXPECT_EQ(long_used->at(q.data(), 0.0)->key(), make_partition_atlas(manifold)->at(q.data(), 0.0)->key());
  EXPECT_EQ(long_used->at(points[5].data(), 0.0), long_used->at(points[5].data(), 0.0)) << "it is kept";
}

// Where rows have the same gradient one of them is dropped; that they part later must not go unnoticed.
TEST_P(ChartOf, MindsTheConstraintsItDoesWithout) {
  Setting setting({"parting", R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2"
[constraints]
plane = "z = 0"
sheet = "z = x^3"
[initial]
x = 0
y = 0
z = 0
p_x = 0
p_y = 0
p_z = 0
)toml"});
  for (const char* name : {"state-space", "state-space-velocity"}) {
    const auto formulation = find_formulation<Quad>(name).make(setting.manifold, {.chart = GetParam()});
    PhasePoint<Quad> z(3);
    OwnVariables<Quad> own;
    formulation->begin_step(z, own);
    ASSERT_TRUE(formulation->enter(z, own));
    ASSERT_EQ(own.q.size(), 2U);
    EXPECT_TRUE(formulation->leave(own, z));
    for (Quad& x : own.q) x += 0.1Q;
    EXPECT_FALSE(formulation->leave(own, z));
    EXPECT_EQ(formulation->failure(0).status, StepStatus::position_solve_failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ChartOf, testing::Values(ChartKind::partition, ChartKind::qr, ChartKind::svd),
                         [](const auto& each) { return name_of(each.param); });

Mechanism problem(const std::string& name) { return {name, test::problem(name).text}; }

INSTANTIATE_TEST_SUITE_P(
    Each, ChartOn,
    testing::Combine(testing::Values(ChartKind::partition, ChartKind::qr, ChartKind::svd),
                     testing::Values(OnManifold{kFourBar, 1}, OnManifold{kFollowing, 2},
                                     OnManifold{test::kRedundant, 1}, OnManifold{test::kMovingSupport, 1},
                                     OnManifold{test::kRelativistic, 2}, OnManifold{problem("loop"), 10},
                                     OnManifold{problem("double_pendulum"), 2},
                                     OnManifold{problem("spherical_metric"), 2},
                                     OnManifold{problem("function_of_sum"), 4})),
    [](const auto& each) {
      return std::string(name_of(std::get<0>(each.param))) + "_" + std::get<1>(each.param).mechanism.name;
    });

}  // namespace
}  // namespace cotangent
