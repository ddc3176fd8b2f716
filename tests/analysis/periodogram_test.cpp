#include "cotangent/analysis/periodogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/chance.hpp"

namespace cotangent {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

TEST(Periodogram, IsTheSumThatDefinesIt) {
  Chance chance(1);
  const double dt = 0.3;
  for (const std::size_t n : {4u, 17u, 100u}) {
    for (const bool hann : {false, true}) {
      std::vector<double> y(n);
      const auto weight = [&](std::size_t i) {
        return hann ? 1 - std::cos(kTurn * (static_cast<double>(i) + 0.5) / static_cast<double>(n)) : 1;
      };
      double mean = 0;
      for (std::size_t i = 0; i < n; ++i) mean += weight(i) * (y[i] = chance.normal()) / static_cast<double>(n);
      const Periodogram spectrum = periodogram(dt, y, {.hann = hann});
      EXPECT_NEAR(spectrum.frequency(spectrum.power.size() - 1), 1 / (2 * dt), 1e-12);
      for (std::size_t j = 0; j < spectrum.power.size(); ++j) {
        double re = 0, im = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const double angle = kTurn * spectrum.frequency(j) * static_cast<double>(i) * dt;
          re += weight(i) * (y[i] - mean) * std::cos(angle);
          im += weight(i) * (y[i] - mean) * std::sin(angle);
        }
        EXPECT_NEAR(spectrum.power[j], 2 * (re * re + im * im) / static_cast<double>(n * n), 1e-13);
      }
    }
  }
}

// The line of a motion that dies out is wide: ripples on it are no lines.
TEST(Periodogram, OfWhatDiesOutHasOnePeak) {
  std::vector<double> y;
  for (int i = 0; i <= 8000; ++i) y.push_back(std::exp(-0.05 * 0.05 * i) * std::cos(0.05 * i));
  const Periodogram spectrum = periodogram(0.05, y);
  ASSERT_EQ(spectrum.peaks.size(), 1U);
  EXPECT_NEAR(spectrum.peaks[0].frequency, 1 / kTurn, 1e-3);
  EXPECT_NEAR(spectrum.peaks[0].width, 0.1 / kTurn, 1e-3);
}

TEST(Periodogram, FindsLinesBetweenItsFrequencies) {
  Chance chance(2);
  for (int trial = 0; trial < 50; ++trial) {
    const double dt = chance.logarithmic(1e-3, 10);
    const auto n = static_cast<std::size_t>(chance.logarithmic(300, 5000));
    const double resolution = 1 / (static_cast<double>(n) * dt);
    const double f = chance.uniform(20, static_cast<double>(n) / 2 - 20) * resolution,
                 a = chance.logarithmic(1e-9, 1e9);
    const double phase = chance.phase();
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i)
      y.push_back(3 * a + a * std::cos(kTurn * f * dt * static_cast<double>(i) + phase));
    for (const bool hann : {false, true}) {
      const Periodogram spectrum = periodogram(dt, y, {.hann = hann});
      ASSERT_EQ(spectrum.peaks.size(), 1u) << trial;  // no side lobe among them
      const SpectralPeak& line = spectrum.peaks[0];
      EXPECT_NEAR(line.frequency, f, (hann ? 0.002 : 0.02) * resolution);
      EXPECT_NEAR(line.amplitude / a, 1, hann ? 0.002 : 0.02);
      EXPECT_NEAR(line.power, line.amplitude * line.amplitude / 2, 1e-12 * line.power);
      EXPECT_NEAR(line.width / spectrum.line_width, 1, 0.05);
      EXPECT_NEAR(spectrum.resolution / resolution, 1, 1e-12);
    }
  }
}

TEST(Periodogram, SeparatesLinesFromSideLobes) {
  // Three lines, the weakest 10^-4 of the strongest in amplitude: seen with the window, below the side lobes without.
  const std::size_t n = 4000;
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n);
    y.push_back(std::cos(kTurn * 300.3 * t) + 0.1 * std::cos(kTurn * 500.7 * t + 1) +
                1e-4 * std::cos(kTurn * 900.2 * t));
  }
  const Periodogram plain = periodogram(1. / n, y, {.weakest = 1e-12}),
                    hann = periodogram(1. / n, y, {.hann = true, .weakest = 1e-12});
  ASSERT_EQ(plain.peaks.size(), 2u);
  EXPECT_NEAR(plain.peaks[0].frequency, 300.3, 0.01);
  EXPECT_NEAR(plain.peaks[1].frequency, 500.7, 0.05);
  ASSERT_EQ(hann.peaks.size(), 3u);
  EXPECT_NEAR(hann.peaks[2].frequency, 900.2, 0.01);
  EXPECT_NEAR(hann.peaks[2].amplitude, 1e-4, 1e-6);
  EXPECT_EQ(periodogram(1. / n, y, {.hann = true, .most_peaks = 1}).peaks.size(), 1u);
}

TEST(Periodogram, ABroadPeakIsBroad) {
  // Damped: a Lorentz line of full width gamma/pi at half maximum of the power, for exp(-gamma t).
  const double gamma = 0.5, dt = 0.01, f = 5;
  std::vector<double> y;
  for (int i = 0; i < 10000; ++i) y.push_back(std::exp(-gamma * i * dt) * std::cos(kTurn * f * i * dt));
  const Periodogram spectrum = periodogram(dt, y);
  ASSERT_FALSE(spectrum.peaks.empty());
  EXPECT_NEAR(spectrum.peaks[0].frequency, f, 0.01);
  EXPECT_NEAR(spectrum.peaks[0].width, gamma / std::numbers::pi, 0.01);
  EXPECT_GT(spectrum.peaks[0].width, 5 * spectrum.line_width);
}

TEST(Periodogram, ThePendulumTurnsWithItsPeriod) {
  // A pendulum that goes over the top, from the horizontal with p = 2: energy 2, period 3.3133.
  double q = std::numbers::pi / 2, p = 2;
  constexpr double h = 0.025 / 16;
  std::vector<double> x;
  for (int i = 0; i < 16 * 40920; ++i) {
    if (i % 16 == 0) x.push_back(std::sin(q));
    p -= h / 2 * std::sin(q);
    q += h * p;
    p -= h / 2 * std::sin(q);
  }
  const Periodogram spectrum = periodogram(0.025, x);
  ASSERT_FALSE(spectrum.peaks.empty());
  EXPECT_NEAR(spectrum.peaks[0].frequency, 0.302, 0.0005);
  EXPECT_NEAR(spectrum.peaks[0].frequency, 1 / 3.3133, 0.0001);
}

TEST(Periodogram, HasNoPeaksWhereThereIsNothing) {
  EXPECT_TRUE(periodogram(1, {}).peaks.empty());
  EXPECT_TRUE(periodogram(1, std::vector<double>{1, 2, 1}).power.empty());
  EXPECT_TRUE(periodogram(1, std::vector<double>(100, 3.)).peaks.empty());
}

}  // namespace
}  // namespace cotangent
