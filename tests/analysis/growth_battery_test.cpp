// The errors that growth exponents are told with, for laws that are more than a power: of many signals the truth must
// lie within two of them in 95 of 100.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "cotangent/analysis/growth.hpp"
#include "tests/analysis/battery.hpp"

namespace cotangent {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

enum class Kind { late, raised, wave, lower, hidden };
enum class Noise { none, added, relative };
constexpr std::array kKinds{Kind::late, Kind::raised, Kind::wave, Kind::lower, Kind::hidden};
constexpr std::array kNoises{Noise::none, Noise::added, Noise::relative};

// One signal over t from 0 to 1 with all that may be beside t^k.
struct Signal {
  Signal(Kind kind_, Noise noise_, Chance& chance)
      : kind(kind_),
        k(chance.uniform(0.5, 3.5)),
        begin(chance.uniform(0, 0.2)),
        offset(chance.logarithmic(1e-4, 0.1)),
        share(chance.uniform(0, 0.9)),
        turns(chance.logarithmic(10, 1000)),
        phase(chance.phase()),
        lower(chance.uniform(0, std::max(0., k - 0.5))),
        factor(chance.logarithmic(0.01, 0.2)),
        plateau(chance.logarithmic(1e-6, 0.02)),
        added(noise_ == Noise::added ? chance.logarithmic(1e-6, 0.01) : 0),
        relative(noise_ == Noise::relative ? chance.logarithmic(1e-3, 0.1) : 0) {}

  double operator()(double t) const {
    const double wave = std::cos(kTurn * turns * t + phase);
    switch (kind) {
      case Kind::late:
        return t > begin ? std::pow(t - begin, k) : 0;
      case Kind::raised:
        return offset + std::pow(t, k);
      case Kind::wave:
        return std::pow(t, k) * (1 + share * wave);
      case Kind::lower:
        return std::pow(t, k) + factor * std::pow(t, lower);
      case Kind::hidden:
        return std::pow(t, k) + plateau * (wave - std::cos(phase));
    }
    return 0;
  }

  Kind kind;
  double k, begin, offset, share, turns, phase, lower, factor, plateau, added, relative;
};

Growth growth_of(const Signal& signal, Chance& chance) {
  const int n = static_cast<int>(chance.logarithmic(3000, 10000));
  Series series;
  for (int i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / n;
    series.add(200 * t, signal(t) * (1 + signal.relative * chance.normal()) + signal.added * chance.normal());
  }
  return fit_growth(series, {.level = 0, .reference = 0});
}

TEST(GrowthErrors, HaveTheTruthWithinTwoOfThem) {
  constexpr int kSeeds = 40;
  int all = 0, all_far = 0, unknown = 0;
  std::vector<double> clean;
  for (const Kind kind : kKinds) {
    int count = 0, far = 0;
    for (const Noise noise : kNoises) {
      for (int seed = 1; seed <= kSeeds; ++seed) {
        Chance chance(static_cast<std::uint64_t>(100 * seed + 10 * static_cast<int>(kind) + static_cast<int>(noise)));
        const Signal signal(kind, noise, chance);
        const Growth growth = growth_of(signal, chance);
        ++count;
        if (!growth.is_known()) {
          ++unknown;
          continue;
        }
        far += std::abs(growth.exponent - signal.k) > 2 * growth.error;
        if (noise == Noise::none) clean.push_back(growth.error);
      }
    }
    EXPECT_LE(far, 0.1 * count) << "kind " << static_cast<int>(kind);
    all += count;
    all_far += far;
  }
  EXPECT_LE(all_far, 0.05 * all);
  EXPECT_LE(unknown, 0.02 * all);
  std::nth_element(clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(clean.size() / 2), clean.end());
  EXPECT_LT(clean[clean.size() / 2], 0.05);
}

TEST(GrowthErrors, OfLawsThatBeginLate) {
  for (const double begin : {2., 10., 30.}) {
    Series series;
    for (int i = 0; i <= 20000; ++i) series.add(0.01 * i, std::max(0., 0.01 * i - begin));
    const Growth growth = fit_growth(series);
    EXPECT_LT(std::abs(growth.exponent - 1), 2 * growth.error) << begin << ": " << growth.exponent;
    // Six points, from 32 to 200, do not tell much.
    if (begin < 30) {
      EXPECT_LT(growth.error, 0.1) << begin;
    }
  }
}

// A power that has only begun to win is told, as long as it has won by the end; otherwise that of the other is.
TEST(GrowthErrors, OfPowersThatWinLate) {
  for (const auto& [factor, k] : {std::pair{5e-5, 3}, std::pair{1e-6, 1}}) {
    Series series;  // in t = 200: 400 and 200, 8 and 200
    for (int i = 0; i <= 20000; ++i) series.add(0.01 * i, 0.01 * i + factor * std::pow(0.01 * i, 3));
    const Growth growth = fit_growth(series);
    EXPECT_LT(std::abs(growth.exponent - k), 2 * growth.error) << growth.exponent << " +- " << growth.error;
    EXPECT_LT(growth.error, 0.5);
  }
}

}  // namespace
}  // namespace cotangent
