#include <gtest/gtest.h>

#include <cmath>

#include "tests/integrator/method_contract.hpp"

// From docs/adding-a-method.md.
#include "constrained_euler.inc"

// The method of docs/adding-a-method.md, compiled from that page, does what the page says.

namespace cotangent {
namespace {

using test::is_ok;

const test::Problem& problem() { return test::problem("double_pendulum"); }

template <class T>
struct PageRun {
  explicit PageRun(const test::Problem& given)
      : instance(given),
        integrator(make_integrator<T>(constrained_euler().method(parse_method_name("constrained-euler")),
                                      instance.manifold)) {}

  bool step(Point<T>& z, double h) { return is_ok(integrator->step(z, static_cast<LaneOf<T>>(h))); }

  test::Instance<T> instance;
  std::unique_ptr<Integrator<T>> integrator;
};

TEST(AddingAMethod, ItHasTheOrderThatItClaims) {
  constexpr double kEnd = 0.5;
  auto exact = test::start<Quad>(problem());
  test::MethodRunner<Quad> odex("odex:8", problem());
  for (int k = 0; k < 24; ++k) ASSERT_TRUE(is_ok(odex.step(exact, static_cast<Quad>(kEnd) / 24)));
  const auto error = [&](int steps) {
    PageRun<Quad> run(problem());
    auto z = test::start<Quad>(problem());
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(run.step(z, kEnd / steps));
    return static_cast<double>(test::distance(z, exact));
  };
  EXPECT_NEAR(std::log2(error(64) / error(128)), 1, 0.1);
}

TEST(AddingAMethod, ItKeepsTheConstraints) {
  PageRun<double> run(problem());
  auto z = test::start<double>(problem());
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(run.step(z, 0.01));
    EXPECT_LE(run.instance.manifold.position_residual(z->q.data(), z->t).value, 2e-15);
    EXPECT_LE(run.instance.manifold.momentum_residual(z).value, 2e-15);
  }
}

TEST(AddingAMethod, ItIsSymplecticOnTheManifold) {
  PageRun<Tangents> run(problem());
  auto z = test::start<Tangents>(problem());
  test::Noise noise(3);
  for (std::size_t j = 0; j < z->q.size(); ++j)
    for (int d = 0; d < 2; ++d)
      z.change().q[j].d[d] = static_cast<double>(noise()), z.change().p[j].d[d] = static_cast<double>(noise());
  z.forget();
  ASSERT_TRUE(run.instance.manifold.project_position(z.change()).converged);
  ASSERT_TRUE(run.instance.manifold.project_momentum(z.change()).converged);
  const auto wedge = [&] {
    double sum = 0;
    for (std::size_t j = 0; j < z->q.size(); ++j) sum += z->q[j].d[0] * z->p[j].d[1] - z->q[j].d[1] * z->p[j].d[0];
    return sum;
  };
  const double before = wedge();
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(run.step(z, 0.05));
  EXPECT_NEAR(wedge() / before, 1, 1e-11);
}

TEST(AddingAMethod, ABatchHasTheBitsOfItsTrajectories) {
  PageRun<Lanes> batch(problem());
  Point<Lanes> z(batch.instance.system.n());
  std::vector<Point<double>> alone;
  for (int i = 0; i < kLanes; ++i) {
    alone.push_back(test::start<double>(problem(), static_cast<std::uint64_t>(i % 3)));
    test::set_lane(z.change(), i, alone.back());
  }
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(batch.step(z, 0.02));
  for (int i = 0; i < 3; ++i) {
    PageRun<double> run(problem());
    auto& own = alone[static_cast<std::size_t>(i)];
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.step(own, 0.02));
    for (std::size_t j = 0; j < own->q.size(); ++j) {
      EXPECT_EQ(z->q[j][i], own->q[j]);
      EXPECT_EQ(z->p[j][i], own->p[j]);
    }
  }
}

TEST(AddingAMethod, ItRefusesWhatItIsNotFor) {
  EXPECT_THROW(PageRun<double>(test::problem("spherical_metric")), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
