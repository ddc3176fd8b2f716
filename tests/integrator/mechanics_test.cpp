#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/integrator/runner.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/mechanisms.hpp"

// RATTLE beyond H = T(p) + V(q): Lagrangians, the time, forces, states, friction, dependent constraints. What the
// contract suite measures for Hamiltonians is measured here for these.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

// L_vv is indefinite, with zeros on its diagonal, and depends on q.
const Mechanism kIndefinite{"indefinite", R"toml(
[system]
coordinates = ["a", "b", "x"]
lagrangian = "(1 + 0.2*x^2)*v_a*v_b + v_x^2/2 + 0.3*v_a*v_x - a^2*x/2"
[constraints]
hyperbola = "a*b + 0.2*x^2 = 1"
[initial]
a = 1.1
b = 0.9
x = 0.2
v_a = 0.7
v_b = -0.5
v_x = 0.4
)toml"};

template <class T>
T distance(const Point<T>& a, const Point<T>& b) {
  return max(test::distance(a, b), test::distance(a->s, b->s));
}

class RattleOf : public testing::TestWithParam<Mechanism> {};

// Against rk4 on the underlying ODE, which has nothing in common with it but the multipliers' equation; the work and
// the states included.
TEST_P(RattleOf, ConvergesAtOrderTwoToTheMotionThatRk4Finds) {
  const Quad end = 0.4Q;
  const auto exact = Runner<Quad>(GetParam(), "rk4").run(400, end);
  Runner<Quad> rattle(GetParam());
  const auto error = [&](int steps) { return static_cast<double>(distance(rattle.run(steps, end), exact)); };
  const double coarse = error(20), fine = error(40);
  EXPECT_GT(fine, 1e-8);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25);
}

TEST_P(RattleOf, IsSymmetric) {
  Runner<Quad> rattle(GetParam());
  const auto start = rattle.start();
  auto z = start;
  ASSERT_TRUE(rattle.step(z, 0.05Q));
  EXPECT_GT(static_cast<double>(distance(z, start)), 1e-3);
  ASSERT_TRUE(rattle.step(z, -0.05Q));
  EXPECT_LE(static_cast<double>(distance(z, start)), 1e-27);
}

TEST_P(RattleOf, StaysOnTheManifold) {
  Runner<double> rattle(GetParam());
  auto z = rattle.start();
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(rattle.step(z, 0.02));
    ASSERT_LE(rattle.manifold.position_residual(z->q.data(), z->t).value, 1e-14);
    ASSERT_LE(rattle.manifold.momentum_residual(z).value, 1e-13);
  }
}

// Curves through the starting point on the manifold are carried through a step, as in the contract suite.
TEST_P(RattleOf, IsSymplecticWithoutForces) {
  Runner<Quad> rattle(GetParam());
  const auto start = rattle.start();
  const std::size_t n = start->q.size();
  const Quad e = 1e-10Q;
  const auto moved = [&](int seed, Quad by) {
    auto z = start;
    test::Noise noise(static_cast<std::uint64_t>(seed));
    const auto dq = noise.vector(n), dp = noise.vector(n);
    for (std::size_t j = 0; j < n; ++j) {
      z.change().q[j] += by * dq[j];
      z.change().p[j] += by * dp[j];
    }
    z.forget();
    EXPECT_TRUE(rattle.manifold.project_position(z.change()).converged &&
                rattle.manifold.project_momentum(z.change()).converged);
    return z;
  };
  const auto wedge = [&](bool after) {
    std::vector<std::vector<Quad>> tangents;
    for (const int seed : {1, 2}) {
      auto ahead = moved(seed, e), behind = moved(seed, -e);
      if (after) {
        EXPECT_TRUE(rattle.step(ahead, 0.05Q) && rattle.step(behind, 0.05Q));
      }
      std::vector<Quad> tangent;
      for (std::size_t j = 0; j < n; ++j) tangent.push_back((ahead->q[j] - behind->q[j]) / (2 * e));
      for (std::size_t j = 0; j < n; ++j) tangent.push_back((ahead->p[j] - behind->p[j]) / (2 * e));
      tangents.push_back(tangent);
    }
    Quad sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += tangents[0][j] * tangents[1][n + j] - tangents[1][j] * tangents[0][n + j];
    return sum;
  };
  const Quad before = wedge(false), after = wedge(true);
  ASSERT_GT(static_cast<double>(abs(before)), 1e-3);
  if (GetParam().symplectic) {
    EXPECT_LE(static_cast<double>(abs(after - before)), 1e-15);
  } else {
    EXPECT_GE(static_cast<double>(abs(after - before)), 1e-6);
  }
}

// H minus the work: bounded by the error of the method, and by a quarter of it for half the step.
TEST_P(RattleOf, BalancesTheEnergyWithTheWork) {
  Runner<double> rattle(GetParam());
  const auto balance = [&](const PhasePoint<double>& z) {
    const double value = rattle.system.at(z).H();
    return rattle.system.has_work() ? value - z.s.back() : value;
  };
  const auto largest = [&](int steps) {
    auto z = rattle.start();
    const double first = balance(z);
    double most = 0;
    for (int k = 0; k < steps && rattle.step(z, 2.0 / steps); ++k) most = std::max(most, std::abs(balance(z) - first));
    return most;
  };
  const double coarse = largest(100), fine = largest(200);
  EXPECT_LE(coarse, 1e-2);
  EXPECT_GT(fine, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
}

TEST_P(RattleOf, GivesTheSameBitsInMachineCodeAndInEveryLane) {
  if (!has_jit()) GTEST_SKIP();
  Runner<double> interpreted(GetParam()), compiled(GetParam(), "rattle", Backend::jit);
  std::vector<std::string> notes;
  const auto elements = regular_elements(interpreted.model, notes);
  System<Lanes> system(elements, Backend::jit);
  Manifold<Lanes> manifold(system);
  const auto integrator = find_method<Lanes>("rattle").make(manifold);
  auto z = interpreted.start(), y = z, other = z;
  for (double& p : other.change().p) p *= 1.25;
  static_cast<void>(interpreted.manifold.project_momentum(other.change()));
  Point<Lanes> lanes(system.n(), system.state_count());
  const auto set = [](std::vector<Lanes>& to, const std::vector<double>& even, const std::vector<double>& odd) {
    for (std::size_t j = 0; j < to.size(); ++j)
      for (int l = 0; l < lane_count<Lanes>; ++l) to[j][l] = l % 2 == 0 ? even[j] : odd[j];
  };
  set(lanes.change().q, z->q, other->q);
  set(lanes.change().p, z->p, other->p);
  set(lanes.change().s, z->s, other->s);

  Runner<double> second(GetParam());
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(interpreted.step(z, 0.02) && compiled.step(y, 0.02) && second.step(other, 0.02));
    ASSERT_TRUE(all(integrator->step(lanes, 0.02).ok));
    ASSERT_EQ(z->q, y->q);
    ASSERT_EQ(z->p, y->p);
    ASSERT_EQ(z->s, y->s);
    for (std::size_t j = 0; j < z->q.size(); ++j) {
      ASSERT_EQ(lane(lanes->q[j], 0), z->q[j]) << k;
      ASSERT_EQ(lane(lanes->p[j], 0), z->p[j]) << k;
      ASSERT_EQ(lane(lanes->q[j], 1), other->q[j]) << k;
      ASSERT_EQ(lane(lanes->p[j], 1), other->p[j]) << k;
    }
  }
}

// A lane far from the others, which a step may or may not take: it stays where it was if not, and the others go on as
// if it were not there, step after step.
TEST_P(RattleOf, LeavesALaneThatFailsBehind) {
  Runner<double> single(GetParam());
  Runner<Lanes> batch(GetParam());
  auto alone = single.start();
  Point<Lanes> z(single.system.n(), single.system.state_count());
  for (int i = 0; i < kLanes; ++i) {
    test::set_lane(z.change(), i, alone);
    for (std::size_t k = 0; k < z->s.size(); ++k) z.change().s[k][i] = alone->s[k];
  }
  constexpr int kBad = 3;
  for (std::size_t j = 0; j < z->p.size(); ++j) z.change().p[j][kBad] = 1e200;

  for (int step = 0; step < 4; ++step) {
    const auto before = z;
    const auto report = batch.integrator->step(z, 0.02);
    ASSERT_TRUE(single.step(alone, 0.02));
    for (std::size_t j = 0; j < z->q.size(); ++j) {
      if (!lane(report.ok, kBad)) {
        EXPECT_EQ(z->q[j][kBad], before->q[j][kBad]);
        EXPECT_EQ(z->p[j][kBad], before->p[j][kBad]);
      }
      for (int i = 0; i < kLanes; ++i) {
        if (i == kBad) continue;
        ASSERT_TRUE(lane(report.ok, i));
        ASSERT_EQ(z->q[j][i], alone->q[j]) << "lane " << i << ", step " << step;
        ASSERT_EQ(z->p[j][i], alone->p[j]) << "lane " << i << ", step " << step;
      }
    }
  }
}

// For a Lagrangian whose mass depends on q such a lane does fail.
TEST(Rattle, FailsInOneLaneOfALagrangian) {
  Runner<Lanes> batch(test::kCurvedMass);
  const auto start = Runner<double>(test::kCurvedMass).start();
  Point<Lanes> z(3);
  for (int i = 0; i < kLanes; ++i) test::set_lane(z.change(), i, start);
  for (std::size_t j = 0; j < 3; ++j) z.change().p[j][5] = 1e200;

  const auto report = batch.integrator->step(z, 0.02);
  EXPECT_NE(report.status, StepStatus::ok);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(lane(report.ok, i), i != 5);
}

TEST_P(RattleOf, DoesNotAllocate) {
  Runner<double> rattle(GetParam());
  auto z = rattle.start();
  // Two points take turns.
  ASSERT_TRUE(rattle.step(z, 0.01) && rattle.step(z, 0.01));
  const long before = test::allocations();
  for (int k = 0; k < 5; ++k) static_cast<void>(rattle.integrator->step(z, 0.01));
  EXPECT_EQ(test::allocations() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(All, RattleOf,
                         testing::Values(test::kHeavyChain, test::kCurvedMass, test::kRelativistic, test::kQuaternion,
                                         kIndefinite, test::kMovingSupport, test::kDriven, test::kDamped,
                                         test::kFriction, test::kThermostat, test::kRedundant),
                         [](const auto& each) { return each.param.name; });

PhasePoint<double> final_point(const std::string& text, int steps, double end) {
  return Runner<double>(Mechanism{"model", text}).run(steps, end);
}

// A coordinate does not notice the units of another that it has nothing to do with.
TEST(Rattle, SolvesEveryComponentInItsOwnUnits) {
  const auto x = [](const std::string& S) {
    return final_point("[parameters]\nS = " + S + R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(1+x^2)*p_x^2/2 + x^2/2 + p_y^2/2 + y^2/2"
[initial]
x = 1
y = "S"
p_x = 0.5
p_y = "0.5*S"
)toml",
                       100, 10)
        .q[0];
  };
  EXPECT_NEAR(x("1e12"), x("1"), 1e-11);
}

// Rows and coordinates that are zero have no magnitude to measure rounding errors by.
TEST(Rattle, KeepsConstraintsThatAreMadeOfZeros) {
  const std::string rest = R"toml(
[constraints]
floor = "y = 0"
[initial]
x = 0
y = 0
v_x = 1
v_y = 0
)toml";
  for (const std::string system :
       {"hamiltonian = \"(p_x^2 + p_y^2)/2 + 9.81*y\"", "hamiltonian = \"(p_x^2 + p_y^2)/(2 + x^2) + 9.81*y\"",
        "hamiltonian = \"(p_x^2 + p_y^2)/2 + 9.81*y\"\ndissipation = \"0.1*v_x^2\"",
        "lagrangian = \"(v_x^2 + v_y^2)*(1 + x^2)/2 - 9.81*y + 0.5*v_x*v_y\""}) {
    const auto z = final_point("[system]\ncoordinates = [\"x\", \"y\"]\n" + system + rest, 200, 2);
    EXPECT_GT(z.q[0], 0.5) << system;
    EXPECT_LE(std::abs(z.q[1]), 1e-17) << system;
  }
}

// A massless angle beside every rod of a chain: the constraints' rates are squared as a whole, also where rows of one
// family are sums over different numbers of terms. The same model is written in two ways.
TEST(Rattle, CompletesASingularMassWithWholeConstraintsOnly) {
  const auto chain = [](const std::string& x, const std::string& y) {
    return final_point(R"toml(
[parameters]
N = 4
[system]
coordinates = ["a[N]", "x[N]", "y[N]"]
lagrangian = "sum(i in 1..N, (v_x[i]^2 + v_y[i]^2)/2 - y[i])"
[constraints]
cx = { each = "i in 1..N", equation = "x[i] - )toml" +
                           x + R"toml( = 0" }
cy = { each = "i in 1..N", equation = "y[i] + )toml" +
                           y + R"toml( = 0" }
[initial]
a = 0.3
x = "i*sin(0.3)"
y = "-i*cos(0.3)"
v_a = 0
v_x = 0
v_y = 0
)toml",
                       200, 1);
  };
  const auto apart = chain("sin(a[i]) - sum(j in 1..i-1, sin(a[j]))", "cos(a[i]) + sum(j in 1..i-1, cos(a[j]))");
  const auto together = chain("sum(j in 1..i, sin(a[j]))", "sum(j in 1..i, cos(a[j]))");
  EXPECT_LE(test::distance(apart, together), 1e-12);
  for (int i = 0; i < 4; ++i) EXPECT_LE(std::abs(apart.p[static_cast<std::size_t>(i)]), 1e-13);
}

// H of a rigid body in terms of the body's angular momenta: the momentum along the quaternion is free.
TEST(Rattle, FixesMomentaThatTheHamiltonianDoesNotSee) {
  const std::string definitions = R"toml(
[definitions]
L1 = "(-q[2]*p_q[1] + q[1]*p_q[2] + q[4]*p_q[3] - q[3]*p_q[4])/2"
L2 = "(-q[3]*p_q[1] - q[4]*p_q[2] + q[1]*p_q[3] + q[2]*p_q[4])/2"
L3 = "(-q[4]*p_q[1] + q[3]*p_q[2] - q[2]*p_q[3] + q[1]*p_q[4])/2"
[constraints]
unit = "norm2(q) = 1"
[initial]
q = [1, 0, 0, 0]
p_q = [0, 0.2, 4, 0.6]
[system]
coordinates = ["q[4]"]
hamiltonian = "(L1^2 + L2^2/2 + L3^2/3)/2)toml";
  Runner<double> body(Mechanism{"body", definitions + "\"\n"});
  EXPECT_EQ(body.notes.size(), 1U);
  const auto free = body.run(400, 2.0);
  // The square of the momentum along q is one way to fix it by hand.
  const auto fixed = final_point(definitions + " + dot(q, p_q)^2/2\"\n", 400, 2);
  EXPECT_LE(test::distance(free, fixed), 1e-4);
}

// What is recorded has no say in how a step is made.
TEST(Rattle, DoesNotNoticeObservables) {
  const std::string model = R"toml(
[system]
coordinates = ["x[3]"]
hamiltonian = "sum(i in 1..3, p_x[i]^2/2 + x[i]^4/4)"
[constraints]
c = "norm2(x) = 1"
[initial]
x = [0.6, 0.8, 0]
p_x = [0.8, -0.6, 1]
)toml";
  const auto plain = final_point(model, 50, 1);
  const auto watched = final_point(model + "[observables]\nrms = \"sqrt(sum(i in 1..3, (x[i]-cos(t))^2))\"\n", 50, 1);
  EXPECT_EQ(plain.q, watched.q);
  EXPECT_EQ(plain.p, watched.p);
  EXPECT_TRUE(watched.s.empty());
}

// A velocity along the quaternion carries no momentum, whatever was added to L to make it regular.
TEST(InitialMomenta, AreThoseOfTheLagrangianAsStated) {
  Mechanism along = test::kQuaternion;
  const std::string given = "v_q = [-0.3, 0.4, 0.5, 0.7]";
  along.text.replace(along.text.find(given), given.size(), "v_q = [0.8, 0.6, 0, 0]");
  Runner<double> body(along);
  ASSERT_GT(body.elements->added_energy, 0);
  const auto z = make_initial_data(body.model, body.manifold, InitialPolicy::as_given).z;
  for (const double p : z.p) EXPECT_NEAR(p, 0, 1e-15);
}

// Entry by entry there is no circle: y[1], x[2], y[2].
TEST(InitialValues, OfTwoArraysMayUseEachOther) {
  Runner<double> free(Mechanism{"free", R"toml(
[system]
coordinates = ["x[2]", "y[2]"]
hamiltonian = "sum(i in 1..2, p_x[i]^2 + p_y[i]^2)"
[initial]
x = [1, "y[1]"]
y = [2, "3*x[2]"]
p_x = 0
p_y = 0
)toml"});
  EXPECT_EQ(free.start()->q, (std::vector<double>{1, 2, 2, 6}));
}

}  // namespace
}  // namespace cotangent
