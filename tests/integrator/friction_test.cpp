#include <gtest/gtest.h>

#include <vector>

#include "tests/integrator/runner.hpp"
#include "tests/support/instance.hpp"

// Friction for which no multiplier exists. The floor y = 0 answers gravity and a force that grows with the answer:
//
//   lambda = -1 + c sqrt(lambda^2 + 1)
//
// has a solution for c < 1 only, as in Painleve's example of a rod that jams; here c is the position x.

namespace cotangent {
namespace {

using test::kJamming;
using test::Runner;

PhasePoint<double> at(Runner<double>& runner, double x) {
  Point<double> z = runner.start();
  z.change().q[0] = x;
  z.forget();
  return z;
}

TEST(FrictionWithoutASolution, IsReportedAsSuch) {
  Runner<double> rk4(kJamming, "rk4");
  Point<double> z = at(rk4, 0.5);
  EXPECT_EQ(rk4.integrator->step(z, 0.01).status, StepStatus::ok);

  z = at(rk4, 2);
  const auto before = z;
  const auto report = rk4.integrator->step(z, 0.01);
  EXPECT_EQ(report.status, StepStatus::multiplier_solve_failed);
  EXPECT_EQ(report.row, -1);
  EXPECT_EQ(z->q, before->q);
  EXPECT_EQ(z->p, before->p);

  // The matrix is not to blame.
  std::vector<double> v = {0.1, 0}, lambda(1), F(2);
  double power = 0;
  const auto multipliers = rk4.manifold.multipliers(z, v.data(), lambda.data(), F.data(), power);
  EXPECT_TRUE(multipliers.regular);
  EXPECT_FALSE(multipliers.converged);
}

TEST(FrictionWithoutASolution, StopsRattleToo) {
  Runner<double> rattle(kJamming);
  Point<double> z = at(rattle, 0.5);
  EXPECT_EQ(rattle.integrator->step(z, 0.01).status, StepStatus::ok);
  z = at(rattle, 2);
  const auto before = z;
  EXPECT_NE(rattle.integrator->step(z, 0.01).status, StepStatus::ok);
  EXPECT_EQ(z->q, before->q);
  EXPECT_EQ(z->p, before->p);
}

TEST(FrictionWithoutASolution, InOneLaneDoesNotStopTheOthers) {
  for (const char* method : {"rk4", "rattle"}) {
    Runner<double> single(kJamming, method);
    Runner<Lanes> batch(kJamming, method);
    Point<double> alone = at(single, 0.5);
    Point<Lanes> z(single.system.n(), single.system.state_count());
    for (int i = 0; i < kLanes; ++i) test::set_lane(z.change(), i, alone);
    z.change().q[0][1] = 2;

    const auto report = batch.integrator->step(z, 0.01);
    ASSERT_TRUE(single.step(alone, 0.01));
    for (int i = 0; i < kLanes; ++i) {
      ASSERT_EQ(lane(report.ok, i), i != 1);
      EXPECT_EQ(z->q[0][i], i == 1 ? 2 : alone->q[0]);
    }
  }
}

}  // namespace
}  // namespace cotangent
