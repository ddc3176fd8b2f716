// Signals made of formulas and random numbers, with the trend they have by construction.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <sstream>

#include "tests/analysis/battery.hpp"

namespace cotangent {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kSeeds = 40;

using Signal = std::function<double(double)>;  // of t in [0, 1]

// n samples, times scaled to a run of random length: nothing may depend on units.
Series sampled(Chance& chance, int n, const Signal& y, bool from_zero = false) {
  const double length = chance.logarithmic(1e-3, 1e6), scale = chance.logarithmic(1e-12, 1e6);
  const double origin = from_zero || chance.coin() ? 0 : scale * chance.uniform(-100, 100);
  Series series;
  for (int i = 0; i <= n; ++i) series.add(length * i / n, origin + scale * y(static_cast<double>(i) / n));
  return series;
}

// Numbers of samples: from as many as there are bins down to few, and up to many points in a bin.
int size_of(Chance& chance, double least = 300, double most = 1e5) {
  return static_cast<int>(chance.logarithmic(least, most));
}

std::string label(const char* what, int seed, std::initializer_list<double> numbers) {
  std::ostringstream text;
  text << what << " " << seed << " (";
  for (const double number : numbers) text << " " << number;
  text << " )";
  return text.str();
}

// Noise whose memory fades over the fraction tau of a run of n samples; variance 1.
class Noise {
 public:
  Noise(Chance& chance, int n, double tau) : chance_(chance), keep_(tau > 0 ? std::exp(-1 / (tau * n)) : 0) {
    value_ = chance.normal();
  }
  double operator()() { return value_ = keep_ * value_ + std::sqrt(1 - keep_ * keep_) * chance_.normal(); }

 private:
  Chance& chance_;
  double keep_, value_;
};

// A random walk that covers the distance 1, rms.
class Steps {
 public:
  Steps(Chance& chance, int n) : chance_(chance), size_(1 / std::sqrt(n)), coins_(chance.coin()) {}
  double operator()() {
    const double before = at_;
    at_ += size_ * (coins_ ? (chance_.coin() ? 1. : -1.) : chance_.normal());
    return before;
  }

 private:
  Chance& chance_;
  double size_, at_ = 0;
  bool coins_;
};

TEST(TrendOfSignals, Oscillations) {
  Battery battery;
  for (int seed = 1; seed <= 3 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(seed));
    const int n = size_of(chance);
    const double periods = chance.logarithmic(3, n / 4.), phase = chance.phase();
    const auto wave = [&](double t) { return std::cos(kTurn * periods * t + phase); };
    battery.expect(Trend::bounded, sampled(chance, n, wave), label("wave", seed, {double(n), periods}));
    battery.expect(Trend::bounded, sampled(chance, n, [&](double t) { return std::abs(wave(t)); }),
                   label("magnitude", seed, {double(n), periods}));
    battery.expect(Trend::bounded, sampled(chance, n, [&](double t) { return std::exp(2 * wave(t)); }),
                   label("peaks", seed, {double(n), periods}));
  }
}

TEST(TrendOfSignals, BeatsAndSums) {
  Battery battery;
  for (int seed = 1; seed <= 3 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(100 + seed));
    const int n = size_of(chance, 1000);
    const double beats = chance.logarithmic(3, 30), periods = beats * chance.uniform(5, 20);
    const double a = chance.phase(), b = chance.phase(), depth = chance.uniform(0, 1);
    battery.expect(Trend::bounded,
                   sampled(chance, n,
                           [&](double t) {
                             return (1 + depth * std::cos(kTurn * beats * t + a)) * std::cos(kTurn * periods * t + b);
                           }),
                   label("beats", seed, {double(n), beats, periods, depth}));
    double f[5], phase[5];
    for (int i = 0; i < 5; ++i) f[i] = chance.logarithmic(3, n / 4.), phase[i] = chance.phase();
    battery.expect(Trend::bounded,
                   sampled(chance, n,
                           [&](double t) {
                             double sum = 0;
                             for (int i = 0; i < 5; ++i) sum += std::cos(kTurn * f[i] * t + phase[i]) / (i + 1);
                             return sum;
                           }),
                   label("sum", seed, {double(n), f[0], f[1], f[2]}));
    // What a projection above a threshold makes of a residual.
    const double teeth = chance.logarithmic(20, n / 10.), power = chance.uniform(1, 2);
    battery.expect(Trend::bounded,
                   sampled(chance, n, [&](double t) { return std::fmod(teeth * std::pow(t, power), 1); }),
                   label("teeth", seed, {double(n), teeth, power}));
  }
}

TEST(TrendOfSignals, Noise) {
  Battery battery;
  for (int seed = 1; seed <= 4 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(200 + seed));
    const int n = size_of(chance);
    Noise white(chance, n, 0);
    battery.expect(Trend::bounded, sampled(chance, n, [&](double) { return white(); }),
                   label("white", seed, {double(n)}));
    const double tau = chance.logarithmic(1e-4, 3e-3), periods = chance.logarithmic(10, 1000);
    Noise red(chance, n, tau), amplitude(chance, n, tau);
    battery.expect(Trend::bounded, sampled(chance, n, [&](double) { return red(); }),
                   label("red", seed, {double(n), tau}));
    battery.expect(Trend::bounded,
                   sampled(chance, n, [&](double t) { return red() + amplitude() * std::cos(kTurn * periods * t); }),
                   label("chaos", seed, {double(n), tau, periods}));
  }
}

TEST(TrendOfSignals, RandomWalks) {
  Battery battery;
  for (int seed = 1; seed <= 5 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(300 + seed));
    const int n = size_of(chance, 500);
    Steps walk(chance, n);
    battery.expect(Trend::random_walk, sampled(chance, n, [&](double) { return walk(); }),
                   label("walk", seed, {double(n)}));
    Steps second(chance, n);
    const double size = chance.logarithmic(1e-3, 0.1), periods = chance.uniform(0.1, 0.4) * n;
    const TrendVerdict moved =
        battery.expect(Trend::random_walk,
                       sampled(chance, n, [&](double t) { return second() + size * std::cos(kTurn * periods * t); }),
                       label("walk and wave", seed, {double(n), size, periods}));
    EXPECT_GT(moved.walk, 0);
  }
}

TEST(TrendOfSignals, AWalkBelowAnOscillationIsEvidence) {
  Battery battery;
  int found = 0;
  for (int seed = 1; seed <= 2 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(400 + seed));
    const int n = size_of(chance, 1e4);
    const double size = chance.logarithmic(2, 30), periods = chance.uniform(0.1, 0.4) * n;
    Steps walk(chance, n);
    const TrendVerdict verdict = battery.expect(
        Trend::bounded, sampled(chance, n, [&](double t) { return walk() + size * std::cos(kTurn * periods * t); }),
        label("wave and walk", seed, {double(n), size, periods}));
    const double share = size * verdict.walk / verdict.oscillation;
    found += share > 0.3 && share < 3;
  }
  EXPECT_GE(found, 0.9 * battery.runs());
}

TEST(TrendOfSignals, Powers) {
  constexpr Trend kTrends[] = {Trend::linear, Trend::quadratic, Trend::cubic};
  Battery battery;
  for (int seed = 1; seed <= 2 * kSeeds; ++seed) {
    for (int k = 1; k <= 3; ++k) {
      Chance chance(static_cast<std::uint64_t>(500 + seed));
      const int n = size_of(chance, 500);
      const double sign = chance.coin() ? 1 : -1, phase = chance.phase();
      const Trend trend = kTrends[k - 1];
      const auto power = [&](double t) { return sign * std::pow(t, k); };

      const double few = chance.logarithmic(3, 100), small = chance.logarithmic(1e-6, 0.02);
      battery.expect(trend,
                     sampled(chance, n, [&](double t) { return power(t) + small * std::cos(kTurn * few * t + phase); }),
                     label("drift", seed, {double(k), double(n), few, small}));
      // Hidden: the oscillation is up to 100 times as large as all of the drift.
      const double many = chance.logarithmic(200, std::max(201., n / 4.)), large = chance.logarithmic(0.02, 100);
      // Bins have 2^j points. A period of nearly so many leaves a slow oscillation of their means.
      const double octaves = std::log2(n / many), apart = std::abs(octaves - std::round(octaves));
      if (n > 2000 && apart > 0.05) {
        battery.expect(
            trend, sampled(chance, n, [&](double t) { return power(t) + large * std::cos(kTurn * many * t + phase); }),
            label("hidden drift", seed, {double(k), double(n), many, large}));
      }
      // An oscillation that grows about a mean that does not move, and its magnitude.
      const double waves = chance.logarithmic(50, std::min(1000., n / 5.));
      const auto grown = [&](double t) { return power(t) * std::cos(kTurn * waves * t + phase); };
      battery.expect(trend, sampled(chance, n, grown), label("growing", seed, {double(k), double(n), waves}));
      battery.expect(trend, sampled(chance, n, [&](double t) { return std::abs(grown(t)); }),
                     label("growing magnitude", seed, {double(k), double(n), waves}));

      Steps walk(chance, n);
      const double distance = chance.logarithmic(1e-3, k == 1 ? 0.08 : 0.02);
      battery.expect(trend, sampled(chance, n, [&](double t) { return power(t) + distance * walk(); }),
                     label("drift and walk", seed, {double(k), double(n), distance}));
      Noise red(chance, n, chance.logarithmic(1e-4, 1e-3));
      const double noise = chance.logarithmic(1e-3, 0.12);
      battery.expect(trend, sampled(chance, n, [&](double t) { return power(t) + noise * red(); }),
                     label("drift and noise", seed, {double(k), double(n), noise}));
    }
  }
}

TEST(TrendOfSignals, Exponentials) {
  Battery battery;
  for (int seed = 1; seed <= 2 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(600 + seed));
    const int n = size_of(chance, 1000);
    const double rate = chance.logarithmic(5, 60), periods = chance.logarithmic(50, 500), phase = chance.phase();
    const auto grown = [&](double t) { return std::exp(rate * (t - 1)); };
    const auto check = [&](const Signal& y, const char* what) {
      const Series series = sampled(chance, n, y);
      const TrendVerdict verdict = battery.expect(Trend::exponential, series, label(what, seed, {double(n), rate}));
      EXPECT_NEAR(verdict.rate * series.last_time() / rate, 1, 0.3) << label(what, seed, {double(n), rate});
      EXPECT_FALSE(verdict.saturated_from) << label(what, seed, {double(n), rate});
    };
    check(grown, "exponential");
    check([&](double t) { return grown(t) * std::cos(kTurn * periods * t + phase); }, "instability");

    // An error in a chaotic motion: does not grow evenly, and stops when it is of the size of the solution.
    const double fast = chance.logarithmic(15, 60) / chance.logarithmic(0.05, 1),
                 start = chance.logarithmic(1e-13, 1e-6);
    if (std::log(1 / start) / fast * std::min(n, 2048) < 60) continue;
    Noise uneven(chance, n, 0.1 / fast), solution(chance, n, 1 / fast);
    double log_error = std::log(start);
    const TrendVerdict verdict = battery.expect(Trend::exponential,
                                                sampled(
                                                    chance, n,
                                                    [&](double) {
                                                      log_error = std::min(0., log_error + fast * (1 + uneven()) / n);
                                                      return std::exp(log_error) * std::abs(1 + 0.5 * solution());
                                                    },
                                                    true),
                                                label("chaos", seed, {double(n), fast, start}), {.reference = 0});
    if (std::log(1 / start) / fast < 0.7) {
      EXPECT_TRUE(verdict.saturated_from) << label("chaos", seed, {double(n), fast, start});
    }
  }
}

TEST(TrendOfSignals, Decays) {
  Battery battery;
  for (int seed = 1; seed <= 2 * kSeeds; ++seed) {
    Chance chance(static_cast<std::uint64_t>(700 + seed));
    const int n = size_of(chance, 500);
    const double rate = chance.logarithmic(3, 40), slow = chance.logarithmic(0.02, 0.5),
                 periods = chance.logarithmic(20, n / 5.);
    const auto energy = [&](double gamma, double t) {
      return std::expm1(-gamma * t) + 0.01 * std::exp(-gamma * t) * std::cos(kTurn * periods * t);
    };
    const Series series = sampled(chance, n, [&](double t) { return energy(rate, t); });
    const TrendVerdict verdict =
        battery.expect(Trend::decaying, series, label("decay", seed, {double(n), rate, periods}));
    EXPECT_NEAR(verdict.rate * series.last_time() / rate, -1, 0.2) << label("decay", seed, {double(n), rate, periods});
    battery.expect(Trend::decaying, sampled(chance, n, [&](double t) { return -1 + 1 / std::pow(1 + rate * t, 2); }),
                   label("algebraic decay", seed, {double(n), rate}));
    battery.expect(Trend::linear, sampled(chance, n, [&](double t) { return energy(slow, t); }),
                   label("decay that has begun", seed, {double(n), slow, periods}));
    battery.expect(
        Trend::decaying,
        sampled(chance, n,
                [&](double t) { return std::exp(-std::min(rate, 15.) * t) * std::sin(kTurn * periods * t); }),
        label("damped", seed, {double(n), rate, periods}));
  }
}

}  // namespace
}  // namespace cotangent
