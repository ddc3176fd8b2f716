#include "cotangent/monitor/section.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/registry.hpp"
#include "tests/kernel/allocations.hpp"
#include "tests/monitor/make_map.hpp"
#include "tests/support/unit_pendulum.hpp"

namespace cotangent {
namespace {

constexpr const char* kOscillator = R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
[initial]
x = 1
p_x = 0
)toml";

const std::string kPendulum = test::rotating_pendulum(test::kHalvedRod);

template <class T>
struct Crossings {
  Crossings(const std::string& text, const std::string& method, const std::string& f,
            typename Section<T>::Direction direction = Section<T>::Direction::up,
            Projection projection = Projection::none)
      : model(read_model_text(text, "test.toml")),
        map(test::make_map<T>(model, method, "", {.projection = projection})),
        section(test::make_map<T>(model, method, "", {.projection = projection}),
                std::make_unique<Expressions<T>>(model, read_expression(model, f), Backend::interpreter), direction,
                [this](const PhasePoint<T>& point) { points.push_back(point); }),
        f_of(model, read_expression(model, f), Backend::interpreter),
        z(model.dimension()) {
    points.reserve(1000);
  }

  void go(int steps, double h) {
    start = z;
    section.start(z, T(h));
    for (int k = 0; k < steps; ++k) {
      const Point<T> begin = z;
      ASSERT_EQ(map.integrator->step(z, T(h)).status, StepStatus::ok);
      largest_energy = std::max(largest_energy, energy(z));
      section.follow({begin, z, T(h)});
      section.settle();
    }
  }

  double value(const PhasePoint<T>& point) { return static_cast<double>(f_of(point)[0]); }
  double energy(const PhasePoint<T>& point) {
    MonitorSet<T> monitors({"energy"}, *map.manifold);
    monitors.start(start);
    monitors.observe(point);
    return static_cast<double>(monitors.find("energy")->current());
  }

  Model model;
  StepMap<T> map;
  std::vector<PhasePoint<T>> points;
  Section<T> section;
  Expressions<T> f_of;
  Point<T> z;
  PhasePoint<T> start;
  double largest_energy = 0;  // the largest change of the energy in the run
};

template <class T>
class Sections : public testing::Test {};
using Types = testing::Types<double, Quad>;
TYPED_TEST_SUITE(Sections, Types);

TYPED_TEST(Sections, OfAnOscillatorAreAPeriodApart) {
  using T = TypeParam;
  const double h = 0.01;
  Crossings<T> run(kOscillator, "gauss:3", "x");
  run.z.change().q = {T(1)};
  run.z.change().p = {T(0)};
  run.go(2900, h);
  ASSERT_EQ(run.points.size(), 4U);
  EXPECT_EQ(run.section.count(), 4);
  for (std::size_t k = 0; k < run.points.size(); ++k) {
    const auto& point = run.points[k];
    EXPECT_LE(std::abs(run.value(point)), 4 * static_cast<double>(epsilon<T>()));
    EXPECT_GT(static_cast<double>(point.p[0]), 0);
    // gauss:3 has the order 6: the phase is that of the solution to 1e-14 t.
    EXPECT_NEAR(static_cast<double>(point.t), (2 * static_cast<double>(k) + 1.5) * std::numbers::pi, 1e-12);
  }
}

TYPED_TEST(Sections, LieOnTheConstraintsAndTheEnergyAsTheRunDoes) {
  using T = TypeParam;
  for (const auto& [method, projection] : {std::pair{"rattle", Projection::none}, {"rk4", Projection::both}}) {
    SCOPED_TRACE(method);
    Crossings<T> run(kPendulum, method, "x", Section<T>::Direction::both, projection);
    run.z.change().q = {T(1), T(0)};
    run.z.change().p = {T(0), T(-2)};
    run.go(1000, 0.02);
    EXPECT_GT(run.points.size(), 10U);
    for (const auto& point : run.points) {
      EXPECT_LE(std::abs(run.value(point)), 4 * static_cast<double>(epsilon<T>()));
      const double level = 100 * static_cast<double>(epsilon<T>());
      EXPECT_LE(static_cast<double>(run.map.manifold->position_residual(point.q.data(), point.t).value), level);
      EXPECT_LE(static_cast<double>(run.map.manifold->momentum_residual(point).value), level);
      EXPECT_LE(run.energy(point), 1.1 * run.largest_energy);
    }
  }
}

TEST(Section, HasADirection) {
  using Direction = Section<double>::Direction;
  for (const auto& [direction, count, sign] :
       {std::tuple{Direction::up, 4, 1}, {Direction::down, 5, -1}, {Direction::both, 9, 0}}) {
    Crossings<double> run(kOscillator, "rattle", "x", direction);
    run.z.change().q = {1};
    run.z.change().p = {0};
    run.go(290, 0.1);
    EXPECT_EQ(run.section.count(), count);
    for (const auto& point : run.points) EXPECT_TRUE(sign == 0 || sign * point.p[0] > 0);
  }
}

TEST(Section, IsNotCrossedWhereARunBeginsAndOnceWhereAStepEndsOnIt) {
  Crossings<double> run(kOscillator, "rattle", "x");
  run.z.change().q = {0};
  run.z.change().p = {1};
  run.go(10, 0.1);
  EXPECT_EQ(run.section.count(), 0) << "the start";
  // f is zero at the end of a step: once.
  Crossings<double> met(kOscillator, "rattle", "t - 0.5");
  met.z.change().q = {0};
  met.z.change().p = {1};
  met.go(8, 0.125);
  ASSERT_EQ(met.section.count(), 1);
  EXPECT_EQ(met.points[0].t, 0.5);
}

TEST(Section, PointsOfStepsThatDoNotCountAreForgotten) {
  Crossings<double> run(kOscillator, "rattle", "x - 0.5");
  PhasePoint<double> begin(1);
  begin.q = {0};
  begin.p = {1};
  run.section.start(begin, 1);
  Point<double> end = begin;
  ASSERT_EQ(run.map.integrator->step(end, 1).status, StepStatus::ok);
  run.section.follow({begin, end, 1.0});
  auto lost = begin;
  lost.q[0] = std::nan("");

  run.section.follow({begin, lost, 1.0});
  run.section.settle();
  EXPECT_EQ(run.section.count(), 0);
  run.section.follow({begin, end, 1.0});
  run.section.settle();
  run.section.settle();
  EXPECT_EQ(run.section.count(), 1);
  EXPECT_NEAR(run.points[0].q[0], 0.5, 1e-15);
}

TEST(Section, DoesNotAllocateAndNeedsFewSteps) {
  Crossings<double> run(kPendulum, "rattle", "x", Section<double>::Direction::both);
  Point<double> begin(2);
  begin.change().q = {-0.1, -std::sqrt(0.99)};
  begin.change().p = {2 * std::sqrt(0.99), -0.2};
  run.section.start(begin, 0.1);
  Point<double> end = begin;
  ASSERT_EQ(run.map.integrator->step(end, 0.1).status, StepStatus::ok);
  ASSERT_GT(end->q[0], 0);
  run.section.follow({begin, end, 0.1});
  const long before = test::allocations();
  run.section.follow({begin, end, 0.1});
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace cotangent
