#include "cotangent/simulation/dense_output.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/simulation/orbits.hpp"

namespace cotangent {
namespace {

template <class T>
T distance(const PhasePoint<T>& a, const PhasePoint<T>& b) {
  T largest(0);
  for (std::size_t j = 0; j < a.q.size(); ++j) largest = max(largest, max(abs(a.q[j] - b.q[j]), abs(a.p[j] - b.p[j])));
  for (std::size_t j = 0; j < a.s.size(); ++j) largest = max(largest, abs(a.s[j] - b.s[j]));
  return largest;
}

// Points of one trajectory that are exact but for about 1e-20: at multiples of a small step, by a method of order 12.
class Exact {
 public:
  Exact() : orbit(test::kDriven, "gauss:6", Projection::none, "standard") {
    Point<Quad> z = orbit.start();
    points.push_back(z);
    for (int k = 0; k < kPoints; ++k) {
      EXPECT_EQ(orbit.integrator->step(z, Quad(1) / 256).status, StepStatus::ok);
      points.push_back(z);
    }
  }
  static constexpr int kPoints = 16;
  test::Orbit<Quad> orbit;
  std::vector<PhasePoint<Quad>> points;
};

Exact& exact() {
  static Exact only;
  return only;
}

// The largest error inside a step over the first 2 * half points.
double error_of(int order, int half) {
  DenseOutput<Quad> dense(exact().orbit.manifold, order, true, true);
  dense.set_step(exact().points[0], exact().points[static_cast<std::size_t>(2 * half)]);
  Quad largest = 0;
  for (const int k : {half / 2, half, half + half / 2}) {
    const auto& point = exact().points[static_cast<std::size_t>(k)];
    largest = max(largest, distance(dense.at(point.t), point));
  }
  return static_cast<double>(largest);
}

// The motion has a moving constraint, friction and a state.
TEST(DenseOutput, HasTheOrderOfTheMethod) {
  for (int order = 2; order <= 8; ++order) {
    const double coarse = error_of(order, 4), fine = error_of(order, 2);
    // Hermite's cubic is there for methods of lower order.
    EXPECT_NEAR(std::log2(coarse / fine), std::max(order, 3) + 1, 0.35) << order << ": " << coarse << ", " << fine;
  }
}

TEST(DenseOutput, CostsAsManyEvaluationsAsItSaysAndOnlyWhereAPointIsAskedFor) {
  DenseOutput<Quad> dense(exact().orbit.manifold, 6, true, true);
  dense.set_step(exact().points[0], exact().points[4]);
  EXPECT_EQ(dense.evaluations(), 0);
  static_cast<void>(dense.at(exact().points[1].t));
  static_cast<void>(dense.at(exact().points[2].t));
  EXPECT_EQ(dense.evaluations(), 2 + 2 + 3 + 4);
}

TEST(DenseOutput, LiesOnTheConstraintsAndMeetsTheEnds) {
  auto& manifold = exact().orbit.manifold;
  DenseOutput<Quad> on(manifold, 4, true, true), off(manifold, 4, false, false);
  on.set_step(exact().points[0], exact().points[8]);
  off.set_step(exact().points[0], exact().points[8]);
  for (int k = 1; k < 8; ++k) {
    const auto& point = on.at(exact().points[static_cast<std::size_t>(k)].t);
    const auto position = manifold.position_residual(point.q.data(), point.t);
    const auto momentum = manifold.momentum_residual(point);
    EXPECT_LE(static_cast<double>(position.value / position.level), 8);
    EXPECT_LE(static_cast<double>(momentum.value / momentum.level), 8);
    const auto& free = off.at(exact().points[static_cast<std::size_t>(k)].t);
    EXPECT_GT(manifold.position_residual(free.q.data(), free.t).value, Quad(1e-12));
  }
  for (const std::size_t k : {0, 8}) EXPECT_LT(distance(off.at(exact().points[k].t), exact().points[k]), Quad(1e-32));
}

TEST(DenseOutput, IsTheSameForAStepBackwards) {
  DenseOutput<Quad> forth(exact().orbit.manifold, 7, false, false), back(exact().orbit.manifold, 7, false, false);
  forth.set_step(exact().points[2], exact().points[10]);
  back.set_step(exact().points[10], exact().points[2]);
  for (const std::size_t k : {3, 5, 8})
    EXPECT_LT(distance(forth.at(exact().points[k].t), back.at(exact().points[k].t)), Quad(1e-31));
}

}  // namespace
}  // namespace cotangent
