#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cotangent/analysis/fit_growth.hpp"
#include "tests/support/chance.hpp"

namespace cotangent {
namespace {

// Random signals of many kinds: the truth is farther than twice the error once in twenty times at most.
TEST(Growth, HasHonestErrors) {
  Chance chance(20261118);
  constexpr int kKinds = 7, kRuns = 60, kPoints = 10000;
  const double T = 1000;
  int far = 0, known = 0;
  for (int run = 0; run < kKinds * kRuns; ++run) {
    const double k = chance.uniform(0.5, 3.5), j = chance.uniform(0, k), late = chance.uniform(0, 0.05) * T,
                 part = chance.uniform(0, 0.9);
    const double w = chance.uniform(20, 400) * 2 * M_PI / T, phase = chance.uniform(0, 6),
                 share = chance.uniform(0, 0.2);
    Series series;
    for (int i = 0; i <= kPoints; ++i) {
      const double t = T * i / kPoints, power = std::pow(t, k);
      const std::array<double, kKinds> y{power,
                                         std::pow(std::max(0.0, t - late), k),
                                         power + std::pow(late, k),
                                         power * (1 + part * std::sin(w * t + phase)),
                                         power + share * std::pow(T, k - j) * std::pow(t, j),
                                         power * std::sin(w * t + phase),
                                         power + std::pow(late, k) * std::cos(w * t + phase)};
      series.add(t, y[static_cast<std::size_t>(run % kKinds)]);
    }
    const Growth growth = fit_growth(series);
    known += growth.is_known() && growth.error < 0.5 ? 1 : 0;
    far += growth.is_known() && std::abs(growth.exponent - k) > 2 * std::hypot(growth.error, 0.01) ? 1 : 0;
  }
  EXPECT_GT(known, kKinds * kRuns * 9 / 10);
  EXPECT_LE(far, kKinds * kRuns / 20);
}

TEST(Growth, OfABoundedSignalIsNone) {
  Series series;
  for (int i = 0; i <= 20000; ++i) series.add(i, std::cos(0.1 * i) + 0.3 * std::cos(0.037 * i));
  const Growth growth = fit_growth(series);
  EXPECT_NEAR(growth.exponent, 0, 0.05);
  EXPECT_LT(growth.error, 0.1);
}

// Errors of phase: |exp(i c t^3) - 1| stops at 2.
TEST(Growth, IsThatBeforeTheEnd) {
  Series series;
  for (int i = 0; i <= 20000; ++i) series.add(0.01 * i, std::abs(2 * std::sin(0.5e-5 * std::pow(0.01 * i, 3))));
  const Growth growth = fit_growth(series, {.most = 2});
  EXPECT_NEAR(growth.exponent, 3, 0.05);
  EXPECT_LE(growth.until, 50);
}

TEST(Growth, KnowsTheRoundingLevel) {
  Chance chance(3);
  Series noise, grown;
  for (int i = 0; i <= 10000; ++i) {
    noise.add(i, 1e-16 * chance.uniform(-1, 1));
    grown.add(i, 1e-16 * chance.uniform(-1, 1) + 1e-18 * i * i);
  }
  const GrowthOptions options{.levels = Levels(1e-16)};
  EXPECT_FALSE(fit_growth(noise, options).is_known());
  const Growth quadratic = fit_growth(grown, options);
  EXPECT_NEAR(quadratic.exponent, 2, 0.1);
  EXPECT_GT(quadratic.from, 100);
}

TEST(Growth, SaysNothingAboutNothing) {
  Series series;
  EXPECT_FALSE(fit_growth(series).is_known());
  series.add(0, 1);
  EXPECT_FALSE(fit_growth(series).is_known());
  for (int i = 1; i < 100; ++i) series.add(i, 1);
  EXPECT_FALSE(fit_growth(series, {.from_first = true}).is_known());
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
  for (int i = 0; i <= 20460; ++i) {
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
  const GrowthOptions options{.levels = Levels(1e-15)};
  return {fit_growth(solution, {.levels = Levels(1e-15), .most = 2}), fit_growth(energy, options),
          fit_growth(position, options), fit_growth(momentum, options)};
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

  const Exponents position = pendulum(Projection::position);
  expect_exponent(position.solution, 3, "solution, position projected");
  expect_exponent(position.energy, 2, "energy, position projected");
  EXPECT_FALSE(position.position.is_known());
  expect_exponent(position.momentum, 1, "momentum, position projected");

  const Exponents momentum = pendulum(Projection::momentum);
  expect_exponent(momentum.solution, 2, "solution, momentum projected");
  expect_exponent(momentum.energy, 1, "energy, momentum projected");
  expect_exponent(momentum.position, 1, "position, momentum projected");
  EXPECT_FALSE(momentum.momentum.is_known());
}

}  // namespace
}  // namespace cotangent
