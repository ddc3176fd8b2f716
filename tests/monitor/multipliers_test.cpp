#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/registry.hpp"
#include "tests/support/unit_pendulum.hpp"

// What is told of the matrix behind the multipliers, against what it is by hand.

namespace cotangent {
namespace {

template <class T>
struct Watched {
  explicit Watched(const std::string& text)
      : elements(std::make_shared<const Elements>(extract_elements(read_model_text(text, "test.toml")))),
        system(elements, Backend::interpreter),
        manifold(system),
        monitors({"condition", "multipliers"}, manifold) {}

  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
  MonitorSet<T> monitors;
};

template <class T>
class Multipliers : public testing::Test {};
using Types = testing::Types<double, Quad, Lanes>;
TYPED_TEST_SUITE(Multipliers, Types);

// p' = -(0, 1) - lambda (x, y): lambda = |p|^2 - y on the unit circle.
TYPED_TEST(Multipliers, AreThoseOfTheRod) {
  using T = TypeParam;
  Watched<T> pendulum(test::UnitPendulum{.rod = test::kHalvedRod}.text());
  PhasePoint<T> z(2);
  z.q = {T(1), T(0)};
  z.p = {T(0), T(-2)};
  pendulum.monitors.start(z);
  const auto* lambda = pendulum.monitors.find("multipliers");
  ASSERT_TRUE(lambda);
  EXPECT_NEAR(static_cast<double>(lane(lambda->current(), 0)), 4, 1e-14);
  z.q = {T(0), T(1)};
  z.p = {T(0.5), T(0)};

  pendulum.monitors.observe(z);
  EXPECT_NEAR(static_cast<double>(lane(lambda->current(), 0)), 0.75, 1e-14) << "the magnitude";
  EXPECT_NEAR(static_cast<double>(lane(lambda->signal(), 0)), 0.75, 1e-14);
  EXPECT_NEAR(static_cast<double>(lane(lambda->largest(), 0)), 4, 1e-14);
}

// Two rods on one mass that meet at an angle a: G H_pp G' = [[1, cos a], [cos a, 1]], with the eigenvalues 1 +- cos a.
TYPED_TEST(Multipliers, HaveAMatrixWhoseConditionIsSeen) {
  using T = TypeParam;
  const auto at = [](const char* s) {
    return std::string(R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
first = "x = 0"
second = "c*x + s*y = 0"
[parameters]
s = )toml") +
           s + R"toml(
c = "sqrt(1 - s^2)"
[initial]
x = 0
y = 0
p_x = 0
p_y = 0
)toml";
  };
  const auto condition = [](const std::string& text) {
    Watched<T> watched(text);
    watched.monitors.start(PhasePoint<T>(2));
    return static_cast<double>(lane(watched.monitors.find("condition")->current(), 0));
  };
  EXPECT_NEAR(condition(at("1.0")), 1, 1e-12) << "at right angles";
  // 2/(1 - cos a) = 4/a^2: an estimate is within a small factor.
  for (const auto& [s, expected] : {std::pair{"0.1", 398.0}, {"0.001", 4e6}}) {
    EXPECT_GT(condition(at(s)), expected / 10) << s;
    EXPECT_LT(condition(at(s)), expected * 10) << s;
  }
}

TEST(Multiplier, MonitorsDoNotApplyWithoutConstraints) {
  Watched<double> free(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2"
[initial]
x = 1
p_x = 0
)toml");
  EXPECT_TRUE(free.monitors.list().empty());
}

}  // namespace
}  // namespace cotangent
