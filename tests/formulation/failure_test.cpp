#include <gtest/gtest.h>

#include "tests/formulation/variables.hpp"

// What a formulation says it has not found is what is not there.

namespace cotangent {
namespace {

using test::kJamming;
using test::Mechanism;
using test::Setting;

// Two bodies on circles of their own; in a circle's centre it has no gradient.
const Mechanism kTwoCircles{"two_circles", R"toml(
[system]
coordinates = ["x", "y", "u", "w"]
hamiltonian = "(p_x^2 + p_y^2 + p_u^2 + p_w^2)/2 + y"
[constraints]
first = "x^2 + y^2 = 1"
second = "u^2 + w^2 = 1"
[initial]
x = 0.6
y = 0.8
u = 1
w = 0
p_x = 0
p_y = 0
p_u = 0
p_w = 0
)toml"};

// No number for x < 0.
const Mechanism kRoot{"root", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
curve = "x*sqrt(x) + y = 2"
[initial]
x = 1
y = 1
p_x = 0
p_y = 0
)toml"};

// H_p = sign(p) sqrt |p|, whose zero Newton's method does not find: p -> p - 2 p = -p.
const Mechanism kCycle{"cycle", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "2/3*(p_x^2)^0.75 + p_y^2/2"
[constraints]
wall = "x = 0"
[initial]
x = 0
y = 0
p_x = 0
p_y = 1
)toml"};

// |v| < 1.
const Mechanism kLight{"light", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "sqrt(1 + p_x^2 + p_y^2)"
[constraints]
wall = "y = 0"
[initial]
x = 0
y = 0
p_x = 0.5
p_y = 0
)toml"};

using Vector = std::vector<double>;

/// Why the field was not found at (x, y), in the chart of the initial data if there are charts.
FieldFailure failure_at(const Mechanism& mechanism, const std::string& name, const Vector& x, const Vector& y,
                        const FormulationOptions& options = {}) {
  Setting<double> setting(mechanism);
  const auto formulation = find_formulation<double>(name).make(setting.manifold, options);
  if (name.starts_with("state-space"))
    formulation->begin_step(make_initial_data(setting.model, setting.manifold).z, {});
  EXPECT_EQ(formulation->size(), static_cast<std::int64_t>(x.size()));
  Vector x_dot(x), y_dot(y), s(static_cast<std::size_t>(setting.system.state_count())), s_dot(s);
  EXPECT_FALSE(formulation->field({x.data(), y.data(), s.data(), 0}, x_dot.data(), y_dot.data(), s_dot.data()));
  return formulation->failure(0);
}

TEST(FailureOfAField, IsASingularConstraintWhereOneHasNoGradient) {
  for (const char* name : {"standard", "total", "dirac", "dirac-weak", "impetus", "baumgarte", "ggl", "lagrange-1"}) {
    const auto failure = failure_at(kTwoCircles, name, {0.6, 0.8, 0, 0}, {0.8, -0.6, 1, 0});
    EXPECT_EQ(failure.status, StepStatus::singular_constraints) << name;
    EXPECT_EQ(failure.row, 1) << name;
  }
}

TEST(FailureOfAField, IsANumberThatIsNotFinite) {
  for (const char* name : {"standard", "dirac", "impetus", "lagrange-1"})
    EXPECT_EQ(failure_at(kRoot, name, {-1, 2}, {0.1, 0.2}).status, StepStatus::not_finite) << name;
}

TEST(FailureOfAField, IsTheEquationForMultipliersThatForcesDependOn) {
  for (const char* name : {"standard", "dirac", "impetus", "baumgarte", "ggl", "lagrange-1", "linear-hamiltonian"})
    EXPECT_EQ(failure_at(kJamming, name, {2, 0}, {0.1, 0}).status, StepStatus::multiplier_solve_failed) << name;
  for (const char* name : {"state-space", "state-space-velocity"})
    EXPECT_EQ(failure_at(kJamming, name, {2}, {0.1}).status, StepStatus::multiplier_solve_failed) << name;
}

// Both walls have the same gradient; what their curvatures demand of a body that moves along them differs.
TEST(FailureOfAField, IsThatOfMultipliersWhereDependentConstraintsDemandDifferentThings) {
  const Mechanism walls{"walls", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
flat = "y = 0"
bent = "y = x^2"
[initial]
x = 0
y = 0
p_x = 0
p_y = 0
)toml"};
  for (const char* name : {"standard", "total", "dirac", "dirac-weak", "baumgarte", "ggl", "lagrange-1"})
    EXPECT_EQ(failure_at(walls, name, {0, 0}, {1, 0}).status, StepStatus::no_multipliers) << name;
  EXPECT_EQ(failure_at(walls, "state-space-velocity", {0}, {1}).status, StepStatus::no_multipliers);

  // A body at rest is asked for nothing that is not possible.
  Setting<double> setting(walls);
  for (const char* name : {"standard", "total", "dirac", "dirac-weak", "baumgarte", "ggl", "lagrange-1"}) {
    const auto formulation = find_formulation<double>(name).make(setting.manifold);
    PhasePoint<double> z(2);
    Vector q_dot(2), p_dot(2);
    EXPECT_TRUE(formulation->field(z, q_dot.data(), p_dot.data(), nullptr)) << name;
    EXPECT_NEAR(p_dot[1], 0, 1e-9) << name;
  }
}

// delta = 2 is no coordinate of a point of the circle.
TEST(FailureOfAField, IsThePositionWhereAChartEnds) {
  for (const char* name : {"state-space", "state-space-velocity"})
    for (const ChartKind kind : {ChartKind::partition, ChartKind::qr, ChartKind::svd})
      EXPECT_EQ(failure_at(kTwoCircles, name, {2, 0}, {0, 0}, {.chart = kind}).status,
                StepStatus::position_solve_failed)
          << name;
}

TEST(FailureOfAField, IsTheMomentumWhereStrictionsAreNotFound) {
  EXPECT_EQ(failure_at(kCycle, "impetus", {0, 0}, {1, 1}).status, StepStatus::momentum_solve_failed);
}

TEST(FailureOfAField, IsAVelocityWithoutMomentum) {
  EXPECT_EQ(failure_at(kLight, "lagrange-1", {0, 0}, {2, 0}).status, StepStatus::variables_not_found);
  EXPECT_EQ(failure_at(kLight, "state-space-velocity", {0}, {2}).status, StepStatus::variables_not_found);
}

TEST(FailureOfAField, IsThatOfTheLane) {
  Setting<Lanes> setting(kTwoCircles);
  const auto standard = find_formulation<Lanes>("standard").make(setting.manifold);
  PhasePoint<Lanes> z(4);
  for (const auto& [x, value] : {std::pair{&z.q[0], 0.6}, {&z.q[1], 0.8}, {&z.q[2], 1.0}}) *x = Lanes(value);
  z.q[2][2] = 0;
  z.q[0][5] = z.q[1][5] = 0;
  z.q[0][6] = std::numeric_limits<double>::infinity();
  std::vector<Lanes> q_dot(z.q), p_dot(z.p);
  const auto found = standard->field(z, q_dot.data(), p_dot.data(), nullptr);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(lane(found, i), i != 2 && i != 5 && i != 6) << i;
  EXPECT_EQ(standard->failure(2).status, StepStatus::singular_constraints);
  EXPECT_EQ(standard->failure(2).row, 1);
  EXPECT_EQ(standard->failure(5).status, StepStatus::singular_constraints);
  EXPECT_EQ(standard->failure(5).row, 0);
  EXPECT_EQ(standard->failure(6).status, StepStatus::not_finite);
}

}  // namespace
}  // namespace cotangent
