#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/runge_kutta/implicit_tables.hpp"
#include "tests/integrator/runner.hpp"
#include "tests/integrator/structure.hpp"
#include "tests/support/instance.hpp"

// What is special about gauss:S on the constrained equations. What every method must obey is measured by the contract
// suite.

namespace cotangent {
namespace {

using test::full_distance;
using test::Mechanism;
using test::mechanism;
using test::Problem;
using test::Runner;

std::string gauss(int stages) { return "gauss:" + std::to_string(stages); }

Backend fastest() { return has_jit() ? Backend::jit : Backend::interpreter; }

double defect(Quad x) { return std::abs(static_cast<double>(x)); }

Quad power(Quad x, int k) {
  Quad result = 1;
  for (int i = 0; i < k; ++i) result *= x;
  return result;
}

// ā integrates polynomials of degree s - 1 exactly, to every node; with â it is a symplectic pair, and both are
// symmetric.
TEST(GaussLobattoTableau, SatisfiesItsEquationsToTheLastDigits) {
  for (int s = 1; s <= 12; ++s) {
    const auto [gauss, a_bar, a_hat, b_hat, c_hat] = gauss_lobatto_tableau(s);
    const auto& [a, b, c] = gauss;
    const std::size_t size = b.size();
    ASSERT_EQ(c_hat.size(), size + 1);
    for (std::size_t k = 0; k <= size; ++k) {
      for (int degree = 1; degree <= s; ++degree) {
        Quad sum = 0;
        for (std::size_t j = 0; j < size; ++j) sum += a_bar[k][j] * power(c[j], degree - 1);
        EXPECT_LE(defect(sum - power(c_hat[k], degree) / degree), 1e-31) << s << " " << k;
      }
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_LE(defect(b[i] * a_hat[i][k] + b_hat[k] * a_bar[k][i] - b[i] * b_hat[k]), 1e-32) << s;
        EXPECT_LE(defect(a_bar[k][i] + a_bar[size - k][size - 1 - i] - b[i]), 1e-31) << s;
        EXPECT_LE(defect(a_hat[i][k] + a_hat[size - 1 - i][size - k] - b_hat[k]), 1e-30) << s;
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(a_bar.front()[i], 0);
      EXPECT_EQ(a_bar.back()[i], b[i]);
      EXPECT_EQ(a_hat[i].front(), b_hat.front());
      EXPECT_EQ(a_hat[i].back(), 0);
    }
  }
}

class ConstrainedGaussOf : public testing::TestWithParam<Mechanism> {};

TEST_P(ConstrainedGaussOf, ConvergesAtOrderTwoStages) {
  // All of them where H is not separable, the mass is curved, everything moves, or multipliers change the forces.
  const auto is = [](const char* name) { return GetParam().name == name; };
  const bool is_hard = is("spherical_metric") || is("curved_mass") || is("driven") || is("friction");
  for (int s = is_hard ? 1 : 2; s <= (is_hard ? 4 : 2); ++s) {
    Runner<Quad> runner(GetParam(), gauss(s));
    const double order = 2 * s;
    EXPECT_NEAR(test::measured_order(runner, s < 4 ? 8 : 4, s < 4 ? 0.2Q : 0.4Q, order), order, 0.3) << s;
  }
}

TEST_P(ConstrainedGaussOf, ConvergesToTheMotionThatRk4Finds) {
  const Quad end = 0.4Q;
  const auto exact = Runner<Quad>(GetParam(), "rk4").run(400, end);
  EXPECT_LE(full_distance(Runner<Quad>(GetParam(), "gauss:3").run(20, end), exact), 1e-8);
}

TEST_P(ConstrainedGaussOf, IsSymmetric) {
  for (const int s : {1, 2, 5}) {
    Runner<Quad> runner(GetParam(), gauss(s));
    EXPECT_LE(test::asymmetry(runner, 0.05Q), 1e-27) << s;
  }
}

TEST_P(ConstrainedGaussOf, IsSymplecticWithoutForces) {
  for (const int s : {1, 2, 3}) {
    Runner<Quad> runner(GetParam(), gauss(s));
    const double change = test::area_change(runner, 0.05Q);
    if (GetParam().symplectic) {
      EXPECT_LE(change, 1e-15) << s;
    } else {
      EXPECT_GE(change, 1e-6) << s;
    }
  }
}

TEST_P(ConstrainedGaussOf, StaysOnTheManifold) {
  for (const int s : {1, 3}) {
    Runner<double> runner(GetParam(), gauss(s));
    auto z = runner.start();
    for (int k = 0; k < 300; ++k) {
      ASSERT_TRUE(runner.step(z, 0.02));
      ASSERT_LE(runner.manifold.position_residual(z->q.data(), z->t).value, 1e-14) << s;
      ASSERT_LE(runner.manifold.momentum_residual(z).value, 1e-13) << s;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ConstrainedGaussOf,
                         testing::Values(test::kHeavyChain, test::kCurvedMass, test::kRelativistic, test::kQuaternion,
                                         test::kMovingSupport, test::kDriven, test::kDamped, test::kFriction,
                                         test::kThermostat, test::kRedundant,
                                         mechanism(test::problem("spherical_metric"))),
                         [](const auto& each) { return each.param.name; });

// For the pendulum H = |p|^2/(2 m) + m g y, m = 1.3, on a circle: a kick along G(q)', the midpoint rule of H alone, a
// kick along G(Q)'.
TEST(ConstrainedGauss, WithOneStageIsTheMidpointRuleBetweenTwoKicks) {
  const Problem& problem = test::problem("pendulum");
  Runner<Quad> runner(mechanism(problem), "gauss:1");
  const auto z = runner.start();
  auto end = z;
  const Quad h = 0.1Q;
  ASSERT_TRUE(runner.step(end, h));
  std::vector<Quad> middle(2), before(2), after(2), force(2);
  for (std::size_t j = 0; j < 2; ++j) middle[j] = (z->q[j] + end->q[j]) / 2;
  runner.system.at(middle, z->p, Quad(0)).H_q(force);
  for (std::size_t j = 0; j < 2; ++j) {
    const Quad p = 1.3Q * (end->q[j] - z->q[j]) / h;
    before[j] = p + h / 2 * force[j] - z->p[j];
    after[j] = end->p[j] - (p - h / 2 * force[j]);
  }
  EXPECT_LE(defect(before[0] * z->q[1] - before[1] * z->q[0]), 1e-14);
  EXPECT_LE(defect(after[0] * end->q[1] - after[1] * end->q[0]), 1e-14);
  EXPECT_GE(defect(before[0]) + defect(before[1]), 1e-3);
  Runner<Quad> same(mechanism(problem), "implicit-midpoint");
  auto other = z;
  ASSERT_TRUE(same.step(other, h));
  EXPECT_EQ(other->q, end->q);
  EXPECT_EQ(other->p, end->p);
}

// The steps of charts are symplectic, but there is another modified energy in each of them: the energy wanders off.
TEST(ConstrainedGauss, KeepsAModifiedEnergyThatChartsLose) {
  const auto energy_error = [](const std::string& formulation, double end) {
    const Problem& problem = test::problem("double_pendulum");
    test::Instance<double> instance(problem, fastest());
    const auto method = find_method<double>("gauss:2").make(instance.manifold, formulation);
    auto z = test::start<double>(problem);
    const double H = test::energy(instance.system, z);
    double most = 0;
    for (int k = 0; k < end / 0.05; ++k) {
      EXPECT_EQ(method->step(z, 0.05).status, StepStatus::ok);
      most = std::max(most, std::abs(test::energy(instance.system, z) - H));
    }
    return most;
  };
  const double early = energy_error("direct", 100), late = energy_error("direct", 2000);
  EXPECT_LE(late, 2 * early);
  EXPECT_GE(energy_error("state-space", 2000), 4 * late);
}

// The work of a constraint that moves is a momentum: H - w is kept as H is where nothing moves.
TEST(ConstrainedGauss, AccountsForTheWorkOfMovingConstraints) {
  Runner<double> runner(test::kMovingSupport, "gauss:2", fastest());
  auto z = runner.start();
  const auto balance = [&] { return test::energy(runner.system, z) - z->s.back(); };
  const double first = balance();
  double early = 0, late = 0;
  for (int k = 0; k < 40000; ++k) {
    ASSERT_TRUE(runner.step(z, 0.05));
    double& most = k < 4000 ? early : late;
    most = std::max(most, std::abs(balance() - first));
  }
  EXPECT_GT(early, 1e-9);
  EXPECT_LE(late, 1.5 * early);
}

TEST(ConstrainedGauss, NeedsAsManyIterationsForALongChainAsForAShortOne) {
  for (const int s : {1, 2, 3}) {
    std::vector<double> iterations;
    for (const int N : {100, 1000, 10000}) {
      Runner<double> runner(mechanism(test::chain(N)), gauss(s), fastest());
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
TEST(ConstrainedGauss, LeavesThePointUntouchedWhereItFails) {
  for (const auto& given : {test::kDriven, test::kCurvedMass, test::kThermostat, test::kFriction}) {
    Runner<double> runner(given, "gauss:3");
    auto z = runner.start();
    ASSERT_TRUE(runner.step(z, 0.02));
    const auto before = z;
    EXPECT_NE(runner.integrator->step(z, 1e150).status, StepStatus::ok);
    EXPECT_EQ(z->q, before->q);
    EXPECT_EQ(z->p, before->p);
    EXPECT_EQ(z->s, before->s);
    EXPECT_EQ(z->t, before->t);
    auto other = before;
    other.forget();
    Runner<double> fresh(given, "gauss:3");
    ASSERT_TRUE(runner.step(z, 0.02) && fresh.step(other, 0.02));
    EXPECT_LE(full_distance(z, other), 1e-13);
  }
}

}  // namespace
}  // namespace cotangent
