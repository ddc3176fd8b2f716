#include "cotangent/manifold/manifold.hpp"

#include <gtest/gtest.h>

#include "tests/support/instance.hpp"
#include "tests/support/jet.hpp"

namespace cotangent {
namespace {

using test::Instance;
using test::Matrix;
using test::Problem;

std::vector<Problem> constrained_problems() {
  std::vector<Problem> list;
  for (const Problem& p : test::problems())
    if (!test::read(p).constraints.empty()) list.push_back(p);
  return list;
}

class ManifoldOf : public testing::TestWithParam<Problem> {
 protected:
  PhasePoint<Quad> moved(PhasePoint<Quad> z, double distance) {
    test::Noise noise(7);
    for (Quad& x : z.q) x += static_cast<Quad>(distance) * noise();
    for (Quad& x : z.p) x += static_cast<Quad>(distance) * noise();

    return z;
  }

  std::vector<Quad> psi(const PhasePoint<Quad>& z) {
    return test::product(test::dense_G(model, z.q), test::dense_H_p(model, z.q, z.p));
  }

  Instance<Quad> instance{GetParam()};
  Manifold<Quad>& manifold = instance.manifold;
  const Model& model = instance.model;
  const PhasePoint<Quad> on = test::consistent_point(GetParam());
};

TEST_P(ManifoldOf, ConsistentPointsSatisfyTheConstraintsToRounding) {
  // By the oracle, not by the library's own residuals.
  for (const auto& row : test::constraint_jets(model, on.q, {})) EXPECT_LE(static_cast<double>(abs(row.c[0])), 1e-31);
  EXPECT_LE(static_cast<double>(test::largest(psi(on))), 1e-31);
}

// Errors 1e-8, 1e-16, 1e-32 times constants: two or three iterations, and one more where the level of
// rounding errors is estimated a little too low. A method that gains a fixed factor of 100 each time would
// need 12.
TEST_P(ManifoldOf, ProjectionsConvergeQuadratically) {
  auto z = moved(on, 1e-8);
  const auto position = manifold.project_position(z);
  EXPECT_TRUE(position.converged);
  EXPECT_LE(position.iterations, 4);
  EXPECT_GE(position.iterations, 2);
  const auto momentum = manifold.project_momentum(z);
  EXPECT_TRUE(momentum.converged);
  EXPECT_LE(momentum.iterations, 4);
  EXPECT_GE(momentum.iterations, 1);
  for (const auto& row : test::constraint_jets(model, z.q, {})) EXPECT_LE(static_cast<double>(abs(row.c[0])), 1e-31);
  EXPECT_LE(static_cast<double>(test::largest(psi(z))), 1e-31);
}

TEST_P(ManifoldOf, ProjectionsAreIdempotent) {
  auto z = moved(on, 0.02);
  ASSERT_TRUE(manifold.project_position(z).converged);
  ASSERT_TRUE(manifold.project_momentum(z).converged);
  const auto once = z;
  const auto position = manifold.project_position(z);
  const auto momentum = manifold.project_momentum(z);
  EXPECT_TRUE(position.converged && momentum.converged);
  // Already at rounding error: nothing, or one last polishing of the last bits.
  EXPECT_LE(position.iterations, 1);
  EXPECT_LE(momentum.iterations, 1);
  EXPECT_LE(static_cast<double>(test::distance(z, once)), 1e-31);
}

// q moves by -H_pp G(q)' mu for some mu, but for terms of second order in the distance: what is left of the way when
// that part is taken away shrinks four times when the distance is halved.
TEST_P(ManifoldOf, PositionProjectionIsOrthogonalInTheMassMetricToFirstOrder) {
  const auto tangential = [&](double distance) {
    const auto before = moved(on, distance);
    auto z = before;
    EXPECT_TRUE(manifold.project_position(z).converged);
    EXPECT_GT(static_cast<double>(test::distance(z.q, before.q)), distance / 200);
    EXPECT_EQ(static_cast<double>(test::distance(z.p, before.p)), 0);
    const Matrix G = test::dense_G(model, before.q), W = test::dense_H_pp(model, before.q, before.p);
    const Matrix WGt = test::product(W, test::transposed(G));
    std::vector<Quad> d(z.q.size());
    for (std::size_t j = 0; j < d.size(); ++j) d[j] = z.q[j] - before.q[j];
    const auto mu = test::solve(test::product(G, WGt), test::product(G, d));
    return static_cast<double>(test::distance(test::product(WGt, mu), d));
  };
  const double large = tangential(2e-4), small = tangential(1e-4);
  EXPECT_LE(small, 0.3 * large + 1e-25);
}

TEST_P(ManifoldOf, MomentumProjectionMovesAlongTheConstraintGradients) {
  const auto before = moved(on, 0.02);
  auto z = before;
  ASSERT_TRUE(manifold.project_momentum(z).converged);
  EXPECT_GT(static_cast<double>(test::distance(z.p, before.p)), 1e-4);
  EXPECT_EQ(static_cast<double>(test::distance(z.q, before.q)), 0);
  const Matrix G = test::dense_G(model, z.q), Gt = test::transposed(G);
  std::vector<Quad> d(z.p.size());
  for (std::size_t j = 0; j < d.size(); ++j) d[j] = z.p[j] - before.p[j];
  const auto mu = test::solve(test::product(G, Gt), test::product(G, d));
  EXPECT_LE(static_cast<double>(test::distance(test::product(Gt, mu), d)), 1e-30);
}

// Exactly -psi' R^-1 psi / 2 where H is quadratic in p, and only there.
TEST_P(ManifoldOf, MomentumProjectionTakesThisEnergyAwayIfHIsQuadraticInP) {
  auto z = moved(on, 0.05);
  const auto at_other_p = test::noisy_point(model, 3, 0.5).p;
  const Matrix W = test::dense_H_pp(model, z.q, z.p), W_other = test::dense_H_pp(model, z.q, at_other_p);
  bool quadratic = true;
  for (std::size_t i = 0; i < W.size(); ++i) quadratic &= test::distance(W[i], W_other[i]) < static_cast<Quad>(1e-28);

  const Matrix G = test::dense_G(model, z.q);
  const auto residual = psi(z);
  const auto mu = test::solve(test::product(G, test::product(W, test::transposed(G))), residual);
  Quad predicted = 0;
  for (std::size_t r = 0; r < mu.size(); ++r) predicted -= residual[r] * mu[r] / 2;

  const Quad before = test::energy(instance.system, z);
  ASSERT_TRUE(manifold.project_momentum(z).converged);
  const Quad change = test::energy(instance.system, z) - before;
  EXPECT_LT(static_cast<double>(predicted), -1e-6);
  if (quadratic) {
    EXPECT_LE(static_cast<double>(abs(change - predicted)), 1e-30);
  } else {
    EXPECT_GE(static_cast<double>(abs(change - predicted)), 1e-9);
    EXPECT_LE(static_cast<double>(abs(change / predicted - 1)), 0.3);
  }
}

// The constrained motion keeps psi: its derivative along q' = H_p, p' = -H_q - G' lambda is zero. A central
// difference with e = 1e-11 is off by e^2 psi''' (1e-22 times constants) and 1e-34 / e.
TEST_P(ManifoldOf, MultipliersKeepTheHiddenConstraint) {
  // Also off the manifold: b contains no term that is zero on it only.
  for (const auto& z : {on, moved(on, 0.1)}) {
    const auto v = test::dense_H_p(model, z.q, z.p), f = test::dense_H_q(model, z.q, z.p);
    std::vector<Quad> F(f.size());
    Quad power = 0;
    std::vector<Quad> lambda(instance.m());
    ASSERT_TRUE(manifold.multipliers(z, v.data(), lambda.data(), F.data(), power).regular);
    EXPECT_GT(static_cast<double>(test::largest(lambda)), 1e-3) << "nothing is tested here";
    const auto c = test::product(test::transposed(test::dense_G(model, z.q)), lambda);
    const auto psi_at = [&](Quad e) {
      auto x = z;
      for (std::size_t j = 0; j < v.size(); ++j) {
        x.q[j] += e * v[j];
        x.p[j] -= e * (f[j] + c[j]);
      }
      return psi(x);
    };
    const auto e = static_cast<Quad>(1e-11);
    const auto ahead = psi_at(e), behind = psi_at(-e);
    for (std::size_t r = 0; r < ahead.size(); ++r)
      EXPECT_LE(static_cast<double>(abs((ahead[r] - behind[r]) / (2 * e))), 1e-18);
  }
}

TEST_P(ManifoldOf, ResidualLevelsAreReachedInDouble) {
  Instance<double> in_double(GetParam());
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto z = test::converted<double>(test::noisy_point(in_double.model, seed, 0.05));
    const auto position = in_double.manifold.project_position(z);
    const auto momentum = in_double.manifold.project_momentum(z);
    EXPECT_TRUE(position.converged) << "residual " << position.residual << ", level " << position.tolerance;
    EXPECT_TRUE(momentum.converged) << "residual " << momentum.residual << ", level " << momentum.tolerance;
    EXPECT_LE(position.residual, 1e-14);
    EXPECT_LE(momentum.residual, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(AllProblems, ManifoldOf, testing::ValuesIn(constrained_problems()),
                         [](const auto& each) { return each.param.name; });

TEST(Projection, ReportsTheConstraintWithoutGradientAndLeavesThePointAsItWas) {
  Instance<double> instance(test::problem("double_pendulum"));
  auto z = test::converted<double>(test::given_point(instance.model));
  z.q = {0, 0, 0.7, 0};  // the upper rod has length 0

  const auto before = z;
  const auto position = instance.manifold.project_position(z);
  EXPECT_FALSE(position.converged);
  EXPECT_FALSE(position.regular);
  ASSERT_GE(position.row, 0);
  EXPECT_EQ(instance.elements->row_name(position.row), "upper");
  EXPECT_EQ(z.q, before.q);
  const auto momentum = instance.manifold.project_momentum(z);
  EXPECT_FALSE(momentum.regular);
  EXPECT_EQ(z.p, before.p);
}

// The rounding error of a sum grows with its number of terms, and so must the level that it is held against.
TEST(Projection, OfASumOverManyCoordinatesReachesRounding) {
  for (const std::string equation : {"sum(i in 1..N, x[i]) = 0", "tanh(sum(i in 1..N, x[i])) = 0"}) {
    Instance<double> instance(Problem{.name = "many", .text = R"toml(
[parameters]
N = 100000
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2/2)"
[constraints]
centre = ")toml" + equation + R"toml("
[initial]
x = "cos(i) + 1e-6"
p_x = "cos(3*i)"
)toml"});
    auto z = test::converted<double>(test::given_point(instance.model));
    const auto position = instance.manifold.project_position(z);
    EXPECT_TRUE(position.converged) << equation << ": " << position.residual << " against " << position.tolerance;
    const auto momentum = instance.manifold.project_momentum(z);
    EXPECT_TRUE(momentum.converged) << equation << ": " << momentum.residual << " against " << momentum.tolerance;
    EXPECT_LE(position.residual, 1e-10);
    EXPECT_LE(momentum.residual, 1e-10);
  }
}

// Two pendulums side by side, one of a million units and one of a thousandth: the small one is solved for to its own
// rounding errors, though it satisfies its constraint to those of the large one from the beginning.
TEST(Projection, SolvesEveryRowInItsOwnUnits) {
  Instance<double> instance(Problem{.name = "units", .text = R"toml(
[system]
coordinates = ["X", "Y", "x", "y"]
hamiltonian = "(p_X^2 + p_Y^2 + p_x^2 + p_y^2)/2"
[constraints]
large = "X^2 + Y^2 = 1e6"
small = "x^2 + y^2 = 1e-6"
[initial]
X = 600
Y = 800
x = 0.6e-3
y = 0.80001e-3
p_X = -800
p_Y = 600
p_x = -0.8e-3
p_y = 0.6e-3
)toml"});
  auto z = test::converted<double>(test::given_point(instance.model));
  const auto off = [&] { return std::abs(z.q[2] * z.q[2] + z.q[3] * z.q[3] - 1e-6); };
  const auto moving = [&] { return std::abs(z.q[2] * z.p[2] + z.q[3] * z.p[3]); };
  const double own_level = 4e-16 * 1e-6, large_level = 4e-16 * 1e6;
  ASSERT_GT(off(), 1e3 * own_level);
  ASSERT_LT(off(), large_level);
  ASSERT_LT(moving(), large_level);
  auto nearest = z;
  EXPECT_TRUE(instance.manifold.project_position(z).converged);
  EXPECT_LE(off(), own_level);
  EXPECT_GT(moving(), 1e3 * own_level);
  EXPECT_TRUE(instance.manifold.project_momentum(z).converged);
  EXPECT_LE(moving(), own_level);
  z = nearest;
  EXPECT_TRUE(instance.manifold.project_position_nearest(z).converged);
  EXPECT_LE(off(), own_level);
}

TEST(Projection, OfALaneDoesNotDependOnTheOthers) {
  const Problem& problem = test::problem("double_pendulum");
  Instance<Lanes> batch(problem);
  Instance<double> single(problem);
  auto z = test::converted<Lanes>(test::given_point(batch.model));
  std::vector<PhasePoint<double>> alone;
  for (int l = 0; l < kLanes; ++l) {
    // From lane to lane further away: they need different numbers of iterations.
    alone.push_back(test::converted<double>(test::noisy_point(batch.model, static_cast<std::uint64_t>(l), 0.01 * l)));
    test::set_lane(z, l, alone.back());
  }
  EXPECT_TRUE(all(batch.manifold.project_position(z).converged));
  EXPECT_TRUE(all(batch.manifold.project_momentum(z).converged));
  for (int l = 0; l < kLanes; ++l) {
    auto& x = alone[static_cast<std::size_t>(l)];
    EXPECT_TRUE(single.manifold.project_position(x).converged);
    EXPECT_TRUE(single.manifold.project_momentum(x).converged);
    for (std::size_t j = 0; j < x.q.size(); ++j) {
      EXPECT_EQ(z.q[j][l], x.q[j]) << "lane " << l;
      EXPECT_EQ(z.p[j][l], x.p[j]) << "lane " << l;
    }
  }
}

TEST(Projection, OfOneLaneThatFailsDoesNotStopTheOthers) {
  const Problem& problem = test::problem("double_pendulum");
  Instance<Lanes> batch(problem);
  Instance<double> single(problem);
  auto z = test::converted<Lanes>(test::noisy_point(batch.model, 1, 0.05));
  auto alone = test::converted<double>(test::noisy_point(batch.model, 1, 0.05));
  for (std::size_t j = 0; j < 4; ++j) z.q[j][2] = 0;  // both rods have length 0 in this lane

  const auto position = batch.manifold.project_position(z);
  EXPECT_TRUE(single.manifold.project_position(alone).converged);
  EXPECT_FALSE(lane(position.converged, 2));
  for (int l = 0; l < kLanes; ++l) {
    if (l == 2) continue;
    EXPECT_TRUE(lane(position.converged, l));
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(z.q[j][l], alone.q[j]) << "lane " << l;
  }
}

// At rest nothing tells how large the velocities will be that a moving constraint asks for; and the rods, whose ends
// move alike, are sums of rounding errors then.
TEST(Manifold, FindsMomentaWhereAMovingConstraintStartsFromRest) {
  const Problem led{.name = "led", .text = R"toml(
[system]
coordinates = ["x[5]", "y[5]"]
hamiltonian = "sum(i in 1..5, p_x[i]^2 + p_y[i]^2)/2"
[constraints]
pin_x = "x[1] = 0"
pin_y = "y[1] = 0.2*t"
rod = { each = "i in 2..5", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }
[initial]
x = "(i-1)*cos(0.7)"
y = "(i-1)*sin(0.7)"
p_x = 0
p_y = 0
)toml"};
  Instance<double> instance(led);
  auto z = test::converted<double>(test::given_point(instance.model));
  const auto report = instance.manifold.project_momentum(z);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(instance.manifold.momentum_residual(z).value, 1e-15);
  EXPECT_NEAR(z.p[5], 0.2, 1e-15);
}

// Exact data, but g is a sum of 20000 terms, whose rounding errors all have the same sign: 4e-14 here, up to 20000/16
// times half an ulp. Levels know sums, and still see what is wrong.
TEST(Manifold, SumsOfManyTermsRoundAsSumsDo) {
  const Problem sphere{"sphere", R"toml(
[system]
coordinates = ["x[20000]"]
hamiltonian = "sum(i in 1..20000, p_x[i]^2/2)"
[constraints]
s = "sum(i in 1..20000, x[i]^2) = 1"
[initial]
x = "1/sqrt(20000)"
p_x = "sin(i)"
)toml"};
  Instance<double> instance(sphere);
  auto z = test::converted<double>(test::given_point(instance.model));
  EXPECT_TRUE(instance.manifold.project_position(z).converged);
  EXPECT_LE(instance.manifold.position_residual(z.q.data(), 0.0).value, 1e-13);
  EXPECT_TRUE(instance.manifold.project_momentum(z).converged);
  const auto g = instance.manifold.position_residual(z.q.data(), 0.0);
  EXPECT_GT(g.level, 10 * epsilon<double>());
  EXPECT_LT(g.level, 100 * epsilon<double>());
  for (double& x : z.q) x *= 1 + 1e-11;
  auto moved = z;
  EXPECT_TRUE(instance.manifold.project_position(moved).converged);
  EXPECT_LT(moved.q[0], z.q[0]);
  EXPECT_LE(instance.manifold.position_residual(moved.q.data(), 0.0).value, 1.4e-13);
}

}  // namespace
}  // namespace cotangent
