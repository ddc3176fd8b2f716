#include "cotangent/simulation/watch/stiffness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cotangent/integrator/composed/projected.hpp"
#include "tests/simulation/orbits.hpp"

namespace cotangent {
namespace {

// Friction that is so strong that a pendulum creeps to its rest.
constexpr const char* kCreeping = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
dissipation = "1000*(v_x^2 + v_y^2)"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 0.6
y = -0.8
p_x = 0
p_y = 0
)toml";

// A spring that is stiff, and at rest along itself.
constexpr const char* kSpring = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 1e10*(sqrt(x^2 + y^2) - 1)^2/2 + y"
[initial]
x = "0.6*(1 + 0.8e-10)"
y = "-0.8*(1 + 0.8e-10)"
p_x = 0
p_y = 0
)toml";

AdaptiveOptions options(double tolerance, double end) {
  AdaptiveOptions result;
  result.tolerance.relative = tolerance;
  result.end = end;
  return result;
}

bool is_stiff(const std::string& text, double tolerance, double end) {
  test::Orbit<double> orbit(text, "dop853");
  const auto radau = find_method<double>("radau-iia:3").make(orbit.manifold);
  orbit.policy.projection = default_projection(orbit.integrator->facts(), orbit.manifold.system().m());
  orbit.estimate();
  return stiff_step(*orbit.integrator, *radau, orbit.manifold, options(tolerance, end), orbit.start()).has_value();
}

TEST(Stiffness, IsFoundAtTheStart) {
  for (const double tolerance : {1e-4, 1e-6}) {
    EXPECT_TRUE(is_stiff(kCreeping, tolerance, 1000));
    EXPECT_TRUE(is_stiff(kSpring, tolerance, 10));
  }
}

TEST(Stiffness, IsNotFoundWhereAccuracyLimitsSteps) {
  for (const double tolerance : {1e-2, 1e-4, 1e-8}) {
    EXPECT_FALSE(is_stiff(test::kepler("0.6"), tolerance, 1000));
    EXPECT_FALSE(is_stiff(test::kepler("0.95"), tolerance, 1000));
    EXPECT_FALSE(is_stiff(test::kBumper, tolerance, 1000));
    EXPECT_FALSE(is_stiff(test::kDriven, tolerance, 1000));
  }
}

TEST(Stiffness, IsWarnedOfWhereAnExplicitMethodMeetsIt) {
  const auto warns = [](const std::string& text, const char* method, double tolerance, double end) {
    test::Orbit<double> orbit(text, method);
    const Summary summary = orbit.run(options(tolerance, end));
    EXPECT_EQ(summary.outcome, Outcome::done);
    return std::any_of(summary.warnings.begin(), summary.warnings.end(),
                       [](const Warning& warning) { return warning.kind == "stiff"; });
  };
  for (const char* method : {"dopri5", "dop853", "tsit5"}) {
    EXPECT_TRUE(warns(kCreeping, method, 1e-6, 10)) << method;
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      EXPECT_FALSE(warns(test::kepler("0.6"), method, tolerance, 100)) << method;
      EXPECT_FALSE(warns(test::kBumper, method, tolerance, 50)) << method;
    }
  }
  EXPECT_FALSE(warns(kCreeping, "radau-iia:3", 1e-6, 10)) << "it is not explicit";
}

}  // namespace
}  // namespace cotangent
