#include "cotangent/analyze/equilibria/equilibrium.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cotangent/model/reader.hpp"
#include "tests/support/unit_pendulum.hpp"

namespace cotangent {
namespace {

EquilibriumReport analyze(const std::string& text, std::size_t modes = 10) {
  return analyze_equilibrium(read_model_text(text, "model"), {.modes = modes});
}

std::string chain(int N, const std::string& x, const std::string& y) {
  return fmt::format(R"toml(
[parameters]
N = {}
[system]
coordinates = ["x[N]", "y[N]"]
hamiltonian = "sum(i in 1..N, (p_x[i]^2 + p_y[i]^2)/2 + y[i])"
[constraints]
anchor = "x[1]^2 + y[1]^2 = 1"
rod = {{ each = "i in 2..N", equation = "(x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1" }}
[initial]
x = "{}"
y = "{}"
p_x = 0
p_y = 0
)toml",
                     N, x, y);
}

// Omega^2 of a chain of N equal links: the roots of Laguerre's polynomial L_N, here by Newton's method from below.
double smallest_root_of_laguerre(int N) {
  double x = 0;
  for (int step = 0; step < 60; ++step) {
    double before = 1, here = 1 - x, slope_before = 0, slope = -1;
    for (int k = 1; k < N; ++k) {
      const double next = ((2 * k + 1 - x) * here - k * before) / (k + 1);
      const double slope_next = ((2 * k + 1 - x) * slope - here - k * slope_before) / (k + 1);
      before = here;
      here = next;
      slope_before = slope;
      slope = slope_next;
    }
    x -= here / slope;
  }
  return x;
}

TEST(Equilibrium, OfAPendulumIsFoundFromAnywhere) {
  for (const char* y : {"0", "0.8"}) {
    const auto report = analyze(test::UnitPendulum{.x = std::string(y) == "0" ? "1" : "0.6", .y = y}.text());
    ASSERT_EQ(report.failure, "");
    EXPECT_NEAR(report.z.q[0], 0, 1e-12);
    EXPECT_NEAR(report.z.q[1], -1, 1e-12);
    EXPECT_EQ(report.stability, Stability::stable);
    ASSERT_EQ(report.modes.size(), 1U);
    EXPECT_NEAR(report.modes[0].eigenvalue.imag(), 1, 1e-12);
    EXPECT_NEAR(report.multipliers[0], 0.5, 1e-12);  // g = x^2 + y^2 - 1: the tension is 2 lambda
    EXPECT_NEAR(std::abs(report.modes[0].shape[0]), 1, 1e-12);
    EXPECT_NEAR(std::abs(report.modes[0].shape[1]), 0, 1e-9);
  }
}

// Two masses on a rod without mass that hangs in space, at 1 and 2: omega^2 = (1 + 2)/(1 + 4). No energy depends on the
// second mass but by the constraints that lead it.
TEST(Equilibrium, OfALedMassIsFoundFromAnywhere) {
  for (const double x : {0.6, 0.8, 0.5})
    for (const double y : {0.0, 1e-12, 1e-3, 0.1}) {
      const double z = -std::sqrt(1 - x * x - y * y);
      const auto report = analyze(fmt::format(R"toml(
[system]
coordinates = ["r[2,3]"]
hamiltonian = "sum(i in 1..2, norm2(p_r[i])/2 + r[i,3])"
[constraints]
rod = "norm2(r[1]) = 1"
led = "r[2] = 2*r[1]"
[initial]
r = [[{0}, {1}, {2}], "2*r[1]"]
p_r = 0
)toml",
                                              x, y, z));
      ASSERT_EQ(report.failure, "") << x << ' ' << y;
      EXPECT_LT(report.iterations, 10);
      EXPECT_LT(report.residual, 1e-14);
      EXPECT_NEAR(report.z.q[0], 0, 1e-12);
      EXPECT_NEAR(report.z.q[5], -2, 1e-12);
      EXPECT_EQ(report.stability, Stability::stable);
      ASSERT_EQ(report.modes.size(), 2U);
      for (const auto& mode : report.modes) EXPECT_NEAR(mode.eigenvalue.imag(), std::sqrt(0.6), 1e-12);
    }
}

TEST(Equilibrium, ThatIsUnstableStaysWhereItIsGiven) {
  const auto report = analyze(test::UnitPendulum{.x = "0", .y = "1"}.text());
  EXPECT_NEAR(report.z.q[1], 1, 1e-12);
  EXPECT_EQ(report.stability, Stability::unstable);
  EXPECT_NEAR(report.modes[0].eigenvalue.real(), 1, 1e-12);
}

TEST(Equilibrium, OfAChainHasTheFrequenciesOfLaguerre) {
  const auto two = analyze(chain(2, "0.6*i", "-0.8*i"));
  ASSERT_EQ(two.modes.size(), 2U);
  EXPECT_NEAR(two.modes[0].eigenvalue.imag(), std::sqrt(2 - std::sqrt(2.0)), 1e-11);
  EXPECT_NEAR(two.modes[1].eigenvalue.imag(), std::sqrt(2 + std::sqrt(2.0)), 1e-11);
  // By a full matrix, and by the method of Lanczos.
  for (const int N : {40, 400}) {
    const auto report = analyze(chain(N, "0.6*i", "-0.8*i"), 5);
    ASSERT_EQ(report.failure, "");
    EXPECT_EQ(report.stability, Stability::stable);
    EXPECT_EQ(report.mode_count, static_cast<std::size_t>(N));
    EXPECT_NEAR(report.z.q[static_cast<std::size_t>(2 * N - 1)], -N, 1e-9 * N);
    const double omega2 = std::pow(report.modes[0].eigenvalue.imag(), 2), expected = smallest_root_of_laguerre(N);
    EXPECT_NEAR(omega2 / expected, 1, 1e-9) << N;
  }
}

// Nearly at rest, it takes few steps however long the chain is.
TEST(Equilibrium, OfALongChainIsFoundInAFewSteps) {
  const auto report = analyze(chain(20000, "0.01*i", "-sqrt(1 - 0.0001)*i"), 2);
  ASSERT_EQ(report.failure, "");
  EXPECT_LE(report.iterations, 20);
  // j_0,1 = 2.4048...: the smallest root of L_N is (j_0,1 / 2)^2 / (N + 1/2) to first order.
  EXPECT_NEAR(std::pow(report.modes[0].eigenvalue.imag() / (2.404825557695773 / 2), 2) * 20000.5, 1, 1e-6);
}

// Springs between walls: omega_k = 2 sin(k pi / (2 (N + 1))).
std::string springs(int N, bool is_free) {
  return fmt::format(R"toml(
[parameters]
N = {}
[system]
coordinates = ["x[N]"]
lagrangian = "sum(i in 1..N, v_x[i]^2/2) - sum(i in 2..N, (x[i] - x[i-1])^2/2){}"
[initial]
x = "sin(i)"
v_x = 0
)toml",
                     N, is_free ? "" : " - (x[1]^2 + x[N]^2)/2");
}

TEST(NormalModes, OfSpringsAreThoseOfTheTextbook) {
  for (const int N : {10, 1000}) {
    const auto report = analyze(springs(N, false), 4);
    ASSERT_EQ(report.failure, "");
    for (int k = 1; k <= 4; ++k) {
      const double expected = 2 * std::sin(k * std::numbers::pi / (2 * (N + 1)));
      EXPECT_NEAR(report.modes[static_cast<std::size_t>(k - 1)].eigenvalue.imag() / expected, 1, 1e-8) << N;
    }
  }
}

// A free end to each side: the whole chain may go anywhere.
TEST(NormalModes, OfAFreeSystemBeginWithZero) {
  for (const int N : {10, 1000}) {
    const auto report = analyze(springs(N, true), 3);
    ASSERT_EQ(report.failure, "");
    EXPECT_EQ(report.stability, Stability::neutral);
    EXPECT_EQ(report.modes[0].eigenvalue, Complex(0, 0));
    for (int k = 1; k <= 2; ++k) {
      const double expected = 2 * std::sin(k * std::numbers::pi / (2 * N));
      EXPECT_NEAR(report.modes[static_cast<std::size_t>(k)].eigenvalue.imag() / expected, 1, 1e-6) << N;
    }
  }
}

TEST(Equilibrium, WithDampingHasDecayingModes) {
  const auto report = analyze(R"toml(
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + (x - 1)^2/2"
dissipation = "0.1*v_x^2"
[initial]
x = 0.3
p_x = 0
)toml");
  EXPECT_FALSE(report.is_conservative);
  EXPECT_NEAR(report.z.q[0], 1, 1e-12);
  ASSERT_EQ(report.modes.size(), 1U);
  EXPECT_NEAR(report.modes[0].eigenvalue.real(), -0.1, 1e-12);
  EXPECT_NEAR(report.modes[0].eigenvalue.imag(), std::sqrt(1 - 0.01), 1e-12);
  EXPECT_EQ(report.stability, Stability::stable);
}

// A particle in a frame that turns: gyroscopic forces, and an equilibrium that is a maximum of the potential.
TEST(Equilibrium, WithGyroscopicTermsHasTheirSpectrum) {
  const auto report = analyze(R"toml(
[parameters]
w = 3.0
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - w*(x*p_y - y*p_x) + (x^2 + 4*y^2)/2"
[initial]
x = 0.1
y = 0.2
v_x = 0
v_y = 0
)toml");
  ASSERT_EQ(report.failure, "");
  EXPECT_FALSE(report.is_conservative);
  EXPECT_NEAR(report.z.q[0], 0, 1e-12);
  EXPECT_EQ(report.stability, Stability::elliptic);
  // s^4 + s^2 (1 + 4 + 2 w^2) + (1 - w^2)(4 - w^2) = 0.
  const double w2 = 9, b = 5 + 2 * w2, c = (1 - w2) * (4 - w2), root = std::sqrt(b * b / 4 - c);
  ASSERT_EQ(report.modes.size(), 2U);
  EXPECT_NEAR(report.modes[0].eigenvalue.imag(), std::sqrt(b / 2 - root), 1e-10);
  EXPECT_NEAR(report.modes[1].eigenvalue.imag(), std::sqrt(b / 2 + root), 1e-10);
}

// Of an ordinary differential equation: Lotka and Volterra.
TEST(Equilibrium, OfAnEquationIsFoundByNewton) {
  const auto report = analyze(R"toml(
[system]
states = ["u", "w"]
[equations]
u = "u*(w - 2)"
w = "w*(1 - u)"
[initial]
u = 1.3
w = 1.8
)toml");
  ASSERT_EQ(report.failure, "");
  EXPECT_NEAR(report.z.s[0], 1, 1e-12);
  EXPECT_NEAR(report.z.s[1], 2, 1e-12);
  ASSERT_EQ(report.modes.size(), 1U);
  EXPECT_NEAR(report.modes[0].eigenvalue.imag(), std::sqrt(2.0), 1e-10);
}

// Where its matrix is singular at the beginning, too.
TEST(Equilibrium, IsFoundFromASingularPoint) {
  const auto report = analyze(R"toml(
[system]
states = ["x", "y"]
[equations]
x = "-x + x*y"
y = "y - x*y"
[initial]
x = 0.5
y = 0.5
)toml");
  ASSERT_EQ(report.failure, "");
  EXPECT_NEAR(report.z.s[0] * report.z.s[1], std::round(report.z.s[0]), 1e-12);  // (1, 1), or (0, 0)
}

// A conical pendulum: w^2 = g/h; seen from there it swings with w^2 (1 + 3 cos^2).
TEST(RelativeEquilibrium, OfASphericalPendulumIsConical) {
  const auto report = analyze_equilibrium(read_model_text(R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + z"
[constraints]
rod = "x^2 + y^2 + z^2 = 1"
[initial]
x = 0.6
y = 0.1
z = -0.8
p_x = 0.1
p_y = 0.7
p_z = 0
)toml",
                                                          "model"),
                                          {.is_relative = true});
  ASSERT_EQ(report.failure, "");
  ASSERT_EQ(report.rates.size(), 1U);
  const double rate = report.rates[0].second, c = -report.z.q[2];
  EXPECT_NEAR(rate * rate * c, 1, 1e-10);
  EXPECT_NEAR(report.z.q[0] * report.z.p[1] - report.z.q[1] * report.z.p[0], 0.7 * 0.6 - 0.1 * 0.1, 0.02);
  double swing = 0;
  for (const Mode& mode : report.modes) swing = std::max(swing, mode.eigenvalue.imag());
  EXPECT_NEAR(swing * swing / (rate * rate * (1 + 3 * c * c)), 1, 1e-9);
}

TEST(Equilibrium, ThatDoesNotExistIsNotFound) {
  EXPECT_NE(
      analyze("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 + x\"\n[initial]\nx = 1\np_x = 0\n").failure,
      "");
  EXPECT_THROW(analyze("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 + x^2 + x*sin(t)\"\n[initial]\nx = "
                       "1\np_x = 0\n"),
               std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
