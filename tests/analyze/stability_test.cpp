#include "cotangent/analyze/stability/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cotangent/model/reader.hpp"
#include "tests/support/unit_pendulum.hpp"

// What is said along motions, where it is known: multipliers of closed orbits, growth that is seen.

namespace cotangent {
namespace {

StabilityReport analyze(const std::string& text, StabilityOptions options) {
  return analyze_stability(read_model_text(text, "model"), options);
}

const FormulationStability& part(const StabilityReport& report, const std::string& name) {
  for (const auto& formulation : report.formulations)
    if (formulation.name == name) return formulation;
  throw std::runtime_error("there is no " + name);
}

double largest(const std::vector<Complex>& values) {
  double most = 0;
  for (const Complex& x : values) most = std::max(most, std::abs(x));
  return most;
}

std::string free_pendulum() {
  return R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
rod = "(x^2 + y^2 - 1)/2 = 0"
[initial]
x = 0.6
y = -0.8
p_x = 1.2
p_y = 0.9
)toml";
}

// Without a potential A does not depend on the time: all multipliers are known.
TEST(ClosedOrbit, HasTheMultipliersOfAConstantSystem) {
  const double speed = 1.5, period = 2 * std::numbers::pi / speed;
  const auto report =
      analyze(free_pendulum(),
              {.equations = {.gauge = 0, .baumgarte_alpha = 0.5, .baumgarte_beta = 0.7}, .duration = 10, .step = 0.02});
  ASSERT_TRUE(report.orbit);
  EXPECT_TRUE(report.orbit->is_closed);
  EXPECT_NEAR(report.orbit->duration(), period, 1e-11);
  EXPECT_LE(report.relative_error, 1e-9);

  const auto& total = part(report, "total");
  EXPECT_EQ(total.fate->kind, Fate::Kind::exponential);
  EXPECT_NEAR(total.fate->rate, 2 * speed, 1e-8);
  EXPECT_NEAR(largest(total.multipliers) / std::exp(2 * speed * period), 1, 1e-7);
  const auto& dirac = part(report, "dirac");
  EXPECT_EQ(dirac.fate->kind, Fate::Kind::bounded);
  EXPECT_NEAR(largest(dirac.multipliers), 1, 1e-7);
  const auto& standard = part(report, "standard");
  EXPECT_EQ(standard.fate->kind, Fate::Kind::power);
  EXPECT_NEAR(standard.fate->exponent, 1, 0.05);
  EXPECT_EQ(part(report, "dirac-weak").fate->kind, Fate::Kind::bounded);
  EXPECT_EQ(part(report, "impetus").fate->kind, Fate::Kind::bounded);
  // s^2 + 2 alpha s + beta^2 has roots with the real part -alpha.
  const auto& baumgarte = part(report, "baumgarte");
  EXPECT_EQ(baumgarte.fate->kind, Fate::Kind::decay);
  EXPECT_NEAR(baumgarte.fate->rate, -0.5, 1e-7);
  EXPECT_FALSE(part(report, "state-space").has_residuals);
  // On the circle the motion is a shear: neighbours that are faster get ahead.
  EXPECT_EQ(report.motion_fate->kind, Fate::Kind::power);
  ASSERT_EQ(report.mean_multipliers.size(), 1U);
  EXPECT_NEAR(report.mean_multipliers[0], speed * speed, 1e-8);
}

// Under gravity: the period, and that Floquet's multipliers of a Hamiltonian flow have the product one.
TEST(ClosedOrbit, OfThePendulumHasItsPeriod) {
  const auto report = analyze(test::rotating_pendulum(test::kHalvedRod), {.duration = 20, .step = 0.01});
  ASSERT_TRUE(report.orbit && report.orbit->is_closed);
  // theta'^2/2 - cos theta = 2 - ...: E = 2, T = 2 sqrt(k) K(k) / 1 with k^2 = 2/(E + 1), by the mean of Gauss.
  double a = 1, b = std::sqrt(1 - 2.0 / 3);
  for (int k = 0; k < 10; ++k) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double K = std::numbers::pi / (2 * a);
  EXPECT_NEAR(report.orbit->duration(), 2 * std::sqrt(2.0 / 3) * K, 1e-10);
  for (const char* name : {"total", "dirac"}) {
    const auto& multipliers = part(report, name).multipliers;
    ASSERT_EQ(multipliers.size(), 2U);
    // The smaller one is known up to errors of the matrix, which has the size of the larger one.
    const double error = report.relative_error * std::pow(largest(multipliers), 2);
    EXPECT_NEAR(std::abs(multipliers[0] * multipliers[1]), 1, 1e-8 + error) << name;
  }
  EXPECT_EQ(part(report, "total").fate->kind, Fate::Kind::exponential);
  EXPECT_EQ(part(report, "standard").fate->kind, Fate::Kind::power);
}

// A motion that does not close: what is seen is told.
TEST(OpenOrbit, ShowsTheGrowthThatIsKnown) {
  const char* text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + z"
[constraints]
rod = "(x^2 + y^2 + z^2 - 1)/2 = 0"
[initial]
x = 0.6
y = 0
z = -0.8
p_x = 0
p_y = 1.1
p_z = 0
)toml";
  const auto report = analyze(text, {.formulations = {"standard", "total", "dirac-weak", "baumgarte"},
                                     .equations = {.baumgarte_alpha = 0.3, .baumgarte_beta = 0.5},
                                     .duration = 60,
                                     .step = 0.05});
  ASSERT_TRUE(report.orbit);
  EXPECT_FALSE(report.orbit->is_closed);
  EXPECT_EQ(part(report, "standard").fate->kind, Fate::Kind::power);
  EXPECT_NEAR(part(report, "standard").fate->exponent, 1, 0.1);
  EXPECT_EQ(part(report, "total").fate->kind, Fate::Kind::exponential);
  EXPECT_EQ(part(report, "dirac-weak").fate->kind, Fate::Kind::bounded);
  const auto& baumgarte = part(report, "baumgarte");
  EXPECT_EQ(baumgarte.fate->kind, Fate::Kind::decay);
  EXPECT_NEAR(baumgarte.fate->rate, -0.3, 0.03);
  EXPECT_TRUE(baumgarte.multipliers.empty());
}

// Frozen eigenvalues of a system with a period say nothing: Mathieu's equation as residuals would be no different.
TEST(Transition, DecidesWhereFrozenEigenvaluesDoNot) {
  // x'' = -(1 + cos(2 t)/2) x: a centre at every time, and unstable.
  constexpr int kSteps = 2048;
  Transition transition(std::numbers::pi / kSteps);
  for (int k = 0; k <= kSteps; ++k) {
    Matrix A(2, 2);
    A(0, 1) = 1;
    A(1, 0) = -(1 + std::cos(2 * std::numbers::pi * k / kSteps) / 2);
    transition.add(A);
  }
  const Fate fate = transition.fate_of_periodic();
  EXPECT_EQ(fate.kind, Fate::Kind::exponential);
  EXPECT_GT(fate.rate, 0.1);
  const auto multipliers = transition.multipliers();
  EXPECT_NEAR(std::abs(multipliers[0] * multipliers[1]), 1, 1e-10);
}

// The multipliers of x' = (c + cos(w t)) x are exp(c T), with a period that no step divides.
TEST(ClosedOrbit, OfDrivenEquationsHasTheirPeriod) {
  const auto report = analyze(R"toml(
[parameters]
w = 1.7
c = 0.03
[system]
states = ["x", "y"]
[equations]
x = "(c + cos(w*t))*x"
y = "-(2*c + sin(w*t)^2 - 1/2)*y + x^2"
[initial]
x = 0
y = 0
)toml",
                              {.duration = 30, .step = 0.01});
  const double period = 2 * std::numbers::pi / 1.7;
  ASSERT_TRUE(report.orbit);
  EXPECT_TRUE(report.orbit->is_closed);
  EXPECT_NEAR(report.orbit->duration(), period, 1e-10);
  ASSERT_EQ(report.motion_multipliers.size(), 2U);
  EXPECT_NEAR(std::abs(report.motion_multipliers[0]), std::exp(0.03 * period), 1e-8);
  EXPECT_NEAR(std::abs(report.motion_multipliers[1]), std::exp(-0.06 * period), 1e-8);
  EXPECT_EQ(report.motion_fate->kind, Fate::Kind::exponential);
  EXPECT_NEAR(report.motion_fate->rate, 0.03, 1e-8);
}

// A motion that comes back after two periods of its drive, and one that is not driven with a period.
TEST(ClosedOrbit, OfDrivenEquationsMayTakeSeveralPeriods) {
  const auto driven = [](const char* drive) {
    return analyze(std::string(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/8 - x*)toml") +
                       drive + R"toml("
[initial]
x = "-4/3"
p_x = 0.5
)toml",
                   {.duration = 40, .step = 0.01});
  };
  const auto twice = driven("cos(t)");  // x = -4/3 cos t + sin(t/2)
  ASSERT_TRUE(twice.orbit);
  EXPECT_TRUE(twice.orbit->is_closed);
  EXPECT_NEAR(twice.orbit->duration(), 4 * std::numbers::pi, 1e-9);
  EXPECT_FALSE(driven("exp(-t/10)").orbit->is_closed);
  EXPECT_FALSE(driven("(cos(t) + cos(sqrt(2)*t))").orbit->is_closed);
}

TEST(Stability, OfAnEquilibriumIsSaid) {
  const auto report = analyze(test::UnitPendulum{.x = "0", .y = "-1"}.text(), {.duration = 10, .step = 0.01});
  EXPECT_TRUE(report.is_equilibrium);
  EXPECT_FALSE(report.orbit);
}

TEST(Stability, RefusesWhatIsTooLarge) {
  const char* chain = R"toml(
[parameters]
N = 300
[system]
coordinates = ["x[N]"]
hamiltonian = "sum(i in 1..N, p_x[i]^2/2 + x[i]^2/2)"
[initial]
x = 1
p_x = 0
)toml";
  EXPECT_THROW(analyze(chain, {}), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
