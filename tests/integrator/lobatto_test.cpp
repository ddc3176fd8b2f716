#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"
#include "tests/integrator/runner.hpp"
#include "tests/integrator/structure.hpp"
#include "tests/support/instance.hpp"

// What is special about lobatto:S. What every method must obey is measured for lobatto:3 by the contract suite.

namespace cotangent {
namespace {

using test::full_distance;
using test::Mechanism;
using test::mechanism;
using test::Runner;

std::string lobatto(int stages) { return "lobatto:" + std::to_string(stages); }

double defect(Quad x) { return std::abs(static_cast<double>(x)); }

Quad power(Quad x, int k) {
  Quad result = 1;
  for (int i = 0; i < k; ++i) result *= x;
  return result;
}

// B(2s - 2); C(s) for IIIA; C(s - 2) for IIIB; the pair is symplectic, and each of them symmetric.
TEST(LobattoTableau, SatisfiesTheSimplifyingAssumptionsToTheLastDigits) {
  for (int s = 2; s <= 6; ++s) {
    const auto iiia = lobatto_iiia_tableau(s), iiib = lobatto_iiib_tableau(s);
    const auto size = static_cast<std::size_t>(s);
    const auto& c = iiia.c;
    const auto stage_sum = [&](const ImplicitTableau& tableau, std::size_t i, int k) {
      Quad sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += tableau.a[i][j] * power(c[j], k - 1);
      return defect(sum - power(c[i], k) / k);
    };
    for (int k = 1; k <= 2 * s - 1; ++k) {
      Quad sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += iiia.b[j] * power(c[j], k - 1);
      if (k <= 2 * s - 2) {
        EXPECT_LE(defect(sum - Quad(1) / k), 1e-31) << s << " " << k;
      } else {
        EXPECT_GE(defect(sum - Quad(1) / k), 1e-6) << s << " " << k;
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (int k = 1; k <= s; ++k) EXPECT_LE(stage_sum(iiia, i, k), 1e-31) << s << " " << i << " " << k;
      for (int k = 1; k <= s - 2; ++k) EXPECT_LE(stage_sum(iiib, i, k), 1e-31) << s << " " << i << " " << k;
      for (std::size_t j = 0; j < size; ++j) {
        const auto& b = iiia.b;
        EXPECT_LE(defect(b[i] * iiib.a[i][j] + b[j] * iiia.a[j][i] - b[i] * b[j]), 1e-32);
        EXPECT_LE(defect(iiia.a[i][j] + iiia.a[size - 1 - i][size - 1 - j] - b[j]), 1e-31);
        EXPECT_LE(defect(iiib.a[i][j] + iiib.a[size - 1 - i][size - 1 - j] - b[j]), 1e-31);
      }
    }
    EXPECT_GE(stage_sum(iiib, 0, s - 1), 1e-4) << s;
  }
  EXPECT_LE(defect(lobatto_nodes(4)[1] - (Quad(1) - 1 / sqrtq(5)) / 2), 1e-33);
}

class LobattoOf : public testing::TestWithParam<Mechanism> {};

TEST_P(LobattoOf, ConvergesAtOrderTwoStagesMinusTwo) {
  // All of them where H is not separable, the mass is curved or everything moves.
  const bool is_hard =
      GetParam().name == "spherical_metric" || GetParam().name == "curved_mass" || GetParam().name == "driven";
  for (int s = is_hard ? 2 : 3; s <= (is_hard ? 6 : 3); ++s) {
    Runner<Quad> runner(GetParam(), lobatto(s));
    const double order = 2 * s - 2;
    EXPECT_NEAR(test::measured_order(runner, s < 5 ? 8 : 4, s < 5 ? 0.2Q : 0.4Q, order), order, 0.3) << s;
  }
}

TEST_P(LobattoOf, ConvergesToTheMotionThatRk4Finds) {
  const Quad end = 0.4Q;
  const auto exact = Runner<Quad>(GetParam(), "rk4").run(400, end);
  EXPECT_LE(full_distance(Runner<Quad>(GetParam(), "lobatto:4").run(20, end), exact), 1e-8);
}

TEST_P(LobattoOf, WithTwoStagesIsRattle) {
  Runner<Quad> two(GetParam(), "lobatto:2"), rattle(GetParam(), "rattle"), three(GetParam(), "lobatto:3");
  auto a = two.start(), b = a, c = a;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(two.step(a, 0.04Q) && rattle.step(b, 0.04Q) && three.step(c, 0.04Q));
    ASSERT_LE(full_distance(a, b), 1e-28) << k;
  }
  EXPECT_GE(full_distance(a, c), 1e-9);
}

TEST_P(LobattoOf, IsSymmetric) {
  for (const int s : {2, 3, 6}) {
    Runner<Quad> runner(GetParam(), lobatto(s));
    EXPECT_LE(test::asymmetry(runner, 0.05Q), 1e-27) << s;
  }
}

TEST_P(LobattoOf, IsSymplecticWithoutForces) {
  for (const int s : {3, 4}) {
    Runner<Quad> runner(GetParam(), lobatto(s));
    const double change = test::area_change(runner, 0.05Q);
    if (GetParam().symplectic) {
      EXPECT_LE(change, 1e-15) << s;
    } else {
      EXPECT_GE(change, 1e-6) << s;
    }
  }
}

TEST_P(LobattoOf, StaysOnTheManifold) {
  for (const int s : {2, 4}) {
    Runner<double> runner(GetParam(), lobatto(s));
    auto z = runner.start();
    for (int k = 0; k < 300; ++k) {
      ASSERT_TRUE(runner.step(z, 0.02));
      ASSERT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-14) << s;
      ASSERT_LE(runner.manifold.momentum_residual(z).value, 1e-13) << s;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LobattoOf,
                         testing::Values(test::kHeavyChain, test::kCurvedMass, test::kRelativistic, test::kQuaternion,
                                         test::kMovingSupport, test::kDriven, test::kDamped, test::kFriction,
                                         test::kThermostat, test::kRedundant,
                                         mechanism(test::problem("spherical_metric"))),
                         [](const auto& each) { return each.param.name; });

// 10^4 steps: what is added up over them is no more than what one step leaves.
TEST(Lobatto, KeepsTheConstraintsToRounding) {
  const auto& problem = test::problem("spherical_metric");
  for (const int s : {4, 6}) {
    Runner<double> runner(mechanism(problem), lobatto(s), has_jit() ? Backend::jit : Backend::interpreter);
    auto z = runner.start();
    double g = 0, psi = 0;
    for (int k = 0; k < 10000; ++k) {
      ASSERT_TRUE(runner.step(z, 0.05));
      g = std::max(g, runner.manifold.position_residual(z->q.data(), z->t).value);
      psi = std::max(psi, runner.manifold.momentum_residual(z).value);
    }
    EXPECT_LE(g, 2e-15) << s;
    EXPECT_LE(psi, 4e-15) << s;
  }
}

// The tension of a hanging chain grows with its length, and with it what a step is to resolve: steps that see the same
// of it need the same number of iterations, whatever the length.
TEST(Lobatto, NeedsAsManyIterationsForALongChainAsForAShortOne) {
  for (const int s : {2, 3, 4}) {
    std::vector<double> iterations;
    for (const int N : {100, 1000, 10000}) {
      Runner<double> runner(mechanism(test::chain(N)), lobatto(s), has_jit() ? Backend::jit : Backend::interpreter);
      auto z = runner.start();
      const double h = 0.02 / std::sqrt(static_cast<double>(N));
      std::int64_t count = 0;
      const int steps = 4;
      for (int k = 0; k < steps; ++k) {
        const auto report = runner.integrator->step(z, h);
        ASSERT_EQ(report.status, StepStatus::ok) << N << ": " << describe(report.status);
        count += report.iterations;
      }
      iterations.push_back(static_cast<double>(count) / steps);
      EXPECT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-15 * N) << N;
    }
    EXPECT_LE(iterations[2], 1.5 * iterations[0] + 2) << s << ": " << iterations[0] << " " << iterations[1];
    EXPECT_LE(iterations[2], 25);
  }
}

// A step far too long fails, and leaves everything as it was.
TEST(Lobatto, LeavesThePointUntouchedWhereItFails) {
  for (const auto& given : {test::kDriven, test::kCurvedMass, test::kThermostat}) {
    Runner<double> runner(given, "lobatto:4");
    auto z = runner.start();
    ASSERT_TRUE(runner.step(z, 0.02));
    const auto before = z;
    const auto report = runner.integrator->step(z, 1e150);
    EXPECT_NE(report.status, StepStatus::ok);
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(z->q, before->q);
    EXPECT_EQ(z->p, before->p);
    EXPECT_EQ(z->s, before->s);
    EXPECT_EQ(z->t, before->t);
    auto other = before;
    other.forget();
    Runner<double> fresh(given, "lobatto:4");
    ASSERT_TRUE(runner.step(z, 0.02) && fresh.step(other, 0.02));
    EXPECT_LE(full_distance(z, other), 1e-13);
  }
}

// The derivative of a step is the same code over dual numbers.
TEST(Lobatto, CarriesTangents) {
  const auto& problem = test::problem("spherical_metric");
  test::Instance<Tangents> dual(problem);
  const auto integrator = find_method<Tangents>("lobatto:3").make(dual.manifold);
  const auto start = test::start<double>(problem);
  const auto other = test::start<double>(problem, 1);
  Point<Tangents> z(3);
  for (std::size_t j = 0; j < 3; ++j) {
    z.change().q[j] = Tangents(start->q[j]);
    z.change().p[j] = Tangents(start->p[j]);
    z.change().p[j].d[0] = other->p[j];
  }
  // Momenta that satisfy the hidden constraint are a vector space at fixed q: project the direction.
  static_cast<void>(dual.manifold.project_momentum(z.change()));
  const auto direction = z->p;
  ASSERT_EQ(integrator->step(z, 0.05).status, StepStatus::ok);
  Runner<Quad> runner(mechanism(problem), "lobatto:3");
  const Quad e = 1e-9Q;
  std::vector<Point<Quad>> ends(2, test::start<Quad>(problem));
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t j = 0; j < 3; ++j) ends[side].change().p[j] += (side == 0 ? e : -e) * Quad(direction[j].d[0]);

    ASSERT_TRUE(runner.step(ends[side], 0.05Q));
  }
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(z->q[j].d[0], static_cast<double>((ends[0]->q[j] - ends[1]->q[j]) / (2 * e)), 1e-13);
    EXPECT_NEAR(z->p[j].d[0], static_cast<double>((ends[0]->p[j] - ends[1]->p[j]) / (2 * e)), 1e-12);
  }
}

}  // namespace
}  // namespace cotangent
