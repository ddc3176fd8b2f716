#include "cotangent/analysis/growth.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/analysis/battery.hpp"

namespace cotangent {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// The error that is told must be the size of the error that is made: of many signals, at most a few may be farther off
// than twice, none more than five times that (and what a few hundredths make of exponents does not matter).
class Errors {
 public:
  void add(const Growth& growth, double exponent, double at_most, const std::string& what) {
    const double error = std::abs(growth.exponent - exponent) / std::hypot(growth.error, 0.02);
    EXPECT_LT(error, 5) << what << ": " << growth.exponent << " +- " << growth.error;
    vague_ += growth.error > 0.5;
    if (growth.error < 0.5) {
      EXPECT_LT(std::abs(growth.exponent - exponent), at_most)
          << what << ": " << growth.exponent << " +- " << growth.error;
    }
    EXPECT_FALSE(growth.saturated) << what;
    ++count_;
    far_ += error > 2;
  }
  ~Errors() {
    EXPECT_LT(far_, 0.05 * count_);
    EXPECT_LT(vague_, 0.03 * count_);
  }

 private:
  int count_ = 0, far_ = 0, vague_ = 0;
};

TEST(Growth, FindsPowersUnderOscillations) {
  Errors errors;
  for (int seed = 1; seed <= 100; ++seed) {
    Chance chance(static_cast<std::uint64_t>(seed));
    const double k = chance.uniform(0.5, 3.5), periods = chance.logarithmic(30, 1000), phase = chance.phase();
    const double share = chance.uniform(0, 1), plateau = chance.logarithmic(1e-6, 0.02);
    const int n = static_cast<int>(chance.logarithmic(3000, 1e5));
    Series growing, hidden;
    for (int i = 0; i <= n; ++i) {
      const double t = static_cast<double>(i) / n, wave = std::cos(kTurn * periods * t + phase);
      growing.add(100 * t, 5 + std::pow(t, k) * (1 + share * wave));
      hidden.add(100 * t, 5 + std::pow(t, k) + plateau * (wave - std::cos(phase)));
    }
    errors.add(fit_growth(growing), k, 0.25, "growing " + std::to_string(seed));
    errors.add(fit_growth(hidden), k, 1, "hidden " + std::to_string(seed));
  }
}

TEST(Growth, ABoundedSignalHasTheExponentZero) {
  Chance chance(1);
  Series series;
  for (int i = 0; i <= 20000; ++i) series.add(i, std::cos(0.1 * i) + 0.3 * std::cos(0.037 * i));
  const Growth growth = fit_growth(series);
  EXPECT_NEAR(growth.exponent, 0, 0.05);
  EXPECT_TRUE(growth.saturated);
  EXPECT_LT(growth.saturated_from, 200);
}

TEST(Growth, Saturates) {
  // Errors of phase: |exp(i c t^3) - 1| stops at 2.
  Series series;
  for (int i = 0; i <= 20000; ++i) series.add(0.01 * i, std::abs(2 * std::sin(0.5e-5 * std::pow(0.01 * i, 3))));
  const Growth growth = fit_growth(series);
  EXPECT_NEAR(growth.exponent, 3, 0.1);
  EXPECT_TRUE(growth.saturated);
  EXPECT_NEAR(growth.saturated_from, std::cbrt(2 * std::asin(0.7) / 1e-5), 1);
  EXPECT_LE(growth.until, growth.saturated_from + 0.1);
}

TEST(Growth, KnowsTheRoundingLevel) {
  Chance chance(3);
  Series noise, grown;
  for (int i = 0; i <= 10000; ++i) {
    noise.add(i, 1e-16 * chance.uniform(-1, 1));
    grown.add(i, 1e-16 * chance.uniform(-1, 1) + 1e-20 * i * i);
  }
  const Growth nothing = fit_growth(noise, {.level = 1e-15, .reference = 0});
  EXPECT_TRUE(nothing.at_level);
  EXPECT_FALSE(nothing.is_known());
  const Growth quadratic = fit_growth(grown, {.level = 1e-15, .reference = 0});
  EXPECT_FALSE(quadratic.at_level);
  EXPECT_NEAR(quadratic.exponent, 2, 0.1);
  EXPECT_GT(quadratic.from, 200);
}

TEST(Growth, OfAnExponentialIsNoPower) {
  Series series;
  for (int i = 0; i <= 1000; ++i) series.add(0.02 * i, 1e-5 * std::exp(0.026 * i));
  EXPECT_FALSE(fit_growth(series, {.level = 0, .reference = 0}).is_known());
}

TEST(Growth, SaysNothingAboutNothing) {
  Series series;
  EXPECT_FALSE(fit_growth(series).is_known());
  series.add(0, 1);
  EXPECT_FALSE(fit_growth(series).is_known());
  for (int i = 1; i < 100; ++i) series.add(i, 1);
  EXPECT_FALSE(fit_growth(series).is_known());
  EXPECT_TRUE(fit_growth(series).at_level);
}

// The planar pendulum x^2 + y^2 = 1 in Cartesian coordinates, H = |p|^2/2 + y, with rk4 on q' = p, p' = -(0, 1) -
// lambda q, lambda = (|p|^2 - y)/|q|^2: without projections, with q <- q/|q| and with p <- p - q (q.p)/|q|^2 after each
// step.
enum class Projection { none, position, momentum };
using Vector = std::array<double, 4>;

Vector field(const Vector& z) {
  const double lambda = (z[2] * z[2] + z[3] * z[3] - z[1]) / (z[0] * z[0] + z[1] * z[1]);
  return {z[2], z[3], -lambda * z[0], -1 - lambda * z[1]};
}

Vector plus(const Vector& z, double h, const Vector& f) {
  return {z[0] + h * f[0], z[1] + h * f[1], z[2] + h * f[2], z[3] + h * f[3]};
}

void step(Vector& z, double h, Projection projection) {
  const Vector a = field(z), b = field(plus(z, h / 2, a)), c = field(plus(z, h / 2, b)), d = field(plus(z, h, c));
  z = plus(plus(plus(plus(z, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  const double q2 = z[0] * z[0] + z[1] * z[1];
  if (projection == Projection::position) z = {z[0] / std::sqrt(q2), z[1] / std::sqrt(q2), z[2], z[3]};
  if (projection == Projection::momentum) {
    const double psi = z[0] * z[2] + z[1] * z[3];
    z = {z[0], z[1], z[2] - z[0] * psi / q2, z[3] - z[1] * psi / q2};
  }
}

struct Exponents {
  Growth solution, energy, position, momentum;
};

Exponents pendulum(Projection projection) {
  const double h = 0.025;
  Vector z{1, 0, 0, -2}, fine = z;
  Series solution, energy, position, momentum;
  for (int i = 0; i <= 40920; ++i) {
    const double t = i * h;
    double squares = 0;
    for (std::size_t j = 0; j < 4; ++j) squares += (z[j] - fine[j]) * (z[j] - fine[j]);
    solution.add(t, std::sqrt(squares));
    energy.add(t, (z[2] * z[2] + z[3] * z[3]) / 2 + z[1] - 2);
    position.add(t, (z[0] * z[0] + z[1] * z[1] - 1) / 2);
    momentum.add(t, z[0] * z[2] + z[1] * z[3]);
    step(z, h, projection);
    for (int k = 0; k < 16; ++k) step(fine, h / 16, projection);
  }
  const GrowthOptions options{.level = 1e-13, .reference = 0};
  return {fit_growth(solution, options), fit_growth(energy, options), fit_growth(position, options),
          fit_growth(momentum, options)};
}

void expect_exponent(const Growth& growth, double k, const char* what) {
  EXPECT_NEAR(growth.exponent, k, 0.1) << what;
  EXPECT_LT(growth.error, 0.15) << what;
  EXPECT_LT(std::abs(growth.exponent - k), 2 * std::hypot(growth.error, 0.02)) << what;
}

// The exponents that Seiler reports for these runs.
TEST(Growth, OfThePendulum) {
  const Exponents none = pendulum(Projection::none);
  expect_exponent(none.solution, 3, "solution");
  expect_exponent(none.energy, 2, "energy");
  expect_exponent(none.position, 2, "position");
  expect_exponent(none.momentum, 1, "momentum");
  EXPECT_TRUE(none.solution.saturated);
  EXPECT_FALSE(none.energy.saturated);

  const Exponents position = pendulum(Projection::position);
  expect_exponent(position.solution, 3, "solution, position projected");
  expect_exponent(position.energy, 2, "energy, position projected");
  EXPECT_TRUE(position.position.at_level);
  expect_exponent(position.momentum, 1, "momentum, position projected");

  const Exponents momentum = pendulum(Projection::momentum);
  expect_exponent(momentum.solution, 2, "solution, momentum projected");
  expect_exponent(momentum.energy, 1, "energy, momentum projected");
  expect_exponent(momentum.position, 1, "position, momentum projected");
  EXPECT_TRUE(momentum.momentum.at_level);
}

}  // namespace
}  // namespace cotangent
