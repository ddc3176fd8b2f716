#include "cotangent/analysis/walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <vector>

#include "cotangent/analysis/windows.hpp"

namespace cotangent {
namespace {

constexpr std::size_t kFewestBins = 256;
constexpr int kCoefficients = 32;
// What the logarithm of geometric over arithmetic mean must exceed: it was never below -1.4 in 8000 walks.
constexpr double kFlat = -2;
// By how much a process that returns may be likelier than a walk, in the logarithm.
constexpr double kReturns = 7.5;

// k^2 |X_k|^2, scaled to the mean W^2 for walks, from means about 256 places.
std::vector<double> coefficients(std::span<const SeriesBin> bins) {
  constexpr int kPlaces = 256;
  const double n = static_cast<double>(bins.size()), half = std::max(n / 128, 2.);
  std::vector<double> y;
  for (int i = 0; i < kPlaces; ++i)
    y.push_back(hann_mean(bins, half + (n - 2 * half) * (i + 0.5) / kPlaces, half).mean);
  // The line: a large drift would be seen in the first coefficients.
  double slope = 0, mean = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const double x = (i + 0.5) / kPlaces - 0.5;
    slope += y[static_cast<std::size_t>(i)] * x * 12 / kPlaces;
    mean += y[static_cast<std::size_t>(i)] / kPlaces;
  }
  std::vector<double> result;
  for (int k = 1; k <= kCoefficients; ++k) {
    double re = 0, im = 0;
    for (int i = 0; i < kPlaces; ++i) {
      const double x = (i + 0.5) / kPlaces, angle = 2 * std::numbers::pi * x;
      const double rest = (1 - std::cos(angle)) * (y[static_cast<std::size_t>(i)] - mean - slope * (x - 0.5));
      re += rest * std::cos(k * angle) / kPlaces;
      im += rest * std::sin(k * angle) / kPlaces;
    }
    result.push_back((re * re + im * im) * k * k * std::pow(2 * std::numbers::pi, 2) / 1.5);
  }
  return result;
}

double mean_of(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

// How much likelier, in the logarithm, u_k are if their expectations are proportional to k^2/(k^2 + c^2), for the best
// c, than if they are all the same. -ln p(u) = sum_k (ln m_k + u_k/m_k) for squares with the expectations m_k.
double returns(std::span<const double> u) {
  double most = 0;
  for (double c = 1; c < 300; c *= 1.4) {
    double log_shapes = 0;
    std::vector<double> scaled;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double k = static_cast<double>(i + 1), shape = k * k / (k * k + c * c);
      log_shapes += std::log(shape);
      scaled.push_back(u[i] / shape);
    }
    most = std::max(most, static_cast<double>(u.size()) * std::log(mean_of(u) / mean_of(scaled)) - log_shapes);
  }
  return most;
}

// Lengths L are T/8, T/(8 sqrt 2), ..., down to so many bins.
constexpr double kShortest = 4;
// Between which ln(V/(c L W^2/T)) must be. It is uncertain for long lengths, of which there are few. An oscillation may
// make it larger at short ones.
constexpr double kBelow[] = {-4.8, -3.1, -2.2, -1.3, -0.96, -0.78, -0.84, -0.9, -0.96, -1, -1.1};
constexpr double kAbove[] = {2.3, 1.7, 1.3, 0.96, 0.78, 0.78, 1};
constexpr double kOfWalk = 0.7893;  // c
constexpr double kHalves = 2;       // the same for the difference between the halves of the run

struct Differences {
  double first = 0, second = 0;  // mean squares in the two halves of the run
  double all() const { return (first + second) / 2; }
};

Differences second_differences(std::span<const SeriesBin> bins, double half) {
  const double n = static_cast<double>(bins.size());
  std::vector<double> mean;  // at distances of half/2
  for (double c = half; c <= n - half + 0.5; c += half / 2) mean.push_back(hann_mean(bins, c, half).mean);
  std::vector<double> squares;
  for (std::size_t i = 4; i < mean.size(); ++i) squares.push_back(std::pow(mean[i] - 2 * mean[i - 2] + mean[i - 4], 2));
  Differences result;
  const std::size_t middle = squares.size() / 2;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double count = static_cast<double>(i < middle ? middle : squares.size() - middle);
    (i < middle ? result.first : result.second) += squares[i] / count;
  }
  return result;
}

bool has_scales_of_walk(std::span<const SeriesBin> bins) {
  const double n = static_cast<double>(bins.size());
  std::vector<double> excess;  // ln(V/(c L/T)): 2 ln W if y is a walk
  double weights = 0, level = 0, halves = 0;
  for (std::size_t j = 0; j < std::size(kBelow); ++j) {
    const double parts = 8 * std::exp2(static_cast<double>(j) / 2);
    if (n / parts < kShortest) break;
    const Differences v = second_differences(bins, n / parts);
    if (!(v.first > 0 && v.second > 0)) return false;
    excess.push_back(std::log(v.all() * parts / kOfWalk));
    if (j >= std::size(kAbove)) continue;
    weights += parts;
    level += parts * excess.back();
    halves += parts * std::log(v.second / v.first);
  }
  level /= weights;
  if (std::abs(halves / weights) > kHalves) return false;
  for (std::size_t j = 0; j < excess.size(); ++j) {
    const double difference = excess[j] - level;
    if (difference < kBelow[j] || (j < std::size(kAbove) && difference > kAbove[j])) return false;
  }
  return true;
}

// A walk reaches farther than this times W, and its bins differ by more than this times W/sqrt(number of bins).
constexpr double kNarrow = 0.6, kSmooth = 0.5;

double range(std::span<const SeriesBin> bins) {
  double min = bins[0].min, max = bins[0].max;
  for (const SeriesBin& bin : bins) {
    min = std::min(min, bin.min);
    max = std::max(max, bin.max);
  }
  return max - min;
}

// sqrt(number of bins) times the rms difference of neighbours: between sqrt(2/3) W and W, if y is a walk.
double steps(std::span<const SeriesBin> bins) {
  double squares = 0;
  for (std::size_t i = 1; i < bins.size(); ++i) squares += std::pow(bins[i].mean - bins[i - 1].mean, 2);
  return std::sqrt(squares);
}

}  // namespace

Walk find_walk(std::span<const SeriesBin> bins) {
  if (bins.size() < kFewestBins || !has_scales_of_walk(bins)) return {};
  const std::vector<double> u = coefficients(bins);
  const double mean = mean_of(u);
  double log_mean = 0;
  for (const double x : u) log_mean += std::log(x) / kCoefficients;
  Walk walk{.is_walk = true, .distance = std::sqrt(mean)};
  if (log_mean - std::log(mean) < kFlat) walk.is_walk = false;
  if (returns(u) > kReturns) walk.is_walk = false;
  if (range(bins) < kNarrow * walk.distance || steps(bins) < kSmooth * walk.distance) walk.is_walk = false;
  return walk;
}

}  // namespace cotangent
