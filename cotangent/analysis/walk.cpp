#include "cotangent/analysis/walk.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>

#include "cotangent/analysis/windows.hpp"

namespace cotangent {
namespace {

constexpr double kOfWalk = 0.7893;  // V/(w^2 L) of a random walk

// Half widths n/8, n/16, ...
constexpr std::size_t kLongest = 8, kShortest = 64;
constexpr double kFewestBins = 4;  // in half a window

// Between which ln V may differ from that of a walk, from the shortest length to the longest. Of 5000 walks none was
// outside: ln V has the standard deviations 0.13, 0.16, 0.32 and 0.63, and a long tail below where differences are few.
constexpr double kBelow[] = {-0.6, -0.9, -1.6, -4.0}, kAbove[] = {0.65, 0.7, 1.15, 1.9};

double second_differences(std::span<const SeriesBin> bins, double half) {
  const double n = static_cast<double>(bins.size());
  double squares = 0;
  int count = 0;
  for (double c = 2 * half; c <= n - 2 * half + 0.5; c += half / 2, ++count) {
    const double difference = hann_mean(bins, c + half, half).mean - 2 * hann_mean(bins, c, half).mean +
                              hann_mean(bins, c - half, half).mean;
    squares += difference * difference;
  }
  return squares / count;
}

}  // namespace

Walk find_walk(std::span<const SeriesBin> bins) {
  const double n = static_cast<double>(bins.size());
  std::vector<double> x, log_v;  // ln L and ln V, from short to long
  for (std::size_t parts = kShortest; parts >= kLongest; parts /= 2) {
    const double half = n / static_cast<double>(parts);
    if (half < kFewestBins) continue;
    const double v = second_differences(bins, half);
    if (!(v > 0)) return {};
    x.push_back(std::log(half / n));
    log_v.push_back(std::log(v));
  }
  if (x.size() < 3) return {};

  // ln(V/(c L)), weighted by the numbers of differences, is 2 ln(w sqrt T).
  double weights = 0, level = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = std::exp(-x[i]);
    weights += weight;
    level += weight * (log_v[i] - x[i]);
  }
  level /= weights;

  Walk walk;
  walk.exponent = (log_v.back() - log_v.front()) / (x.back() - x.front());
  walk.distance = std::exp((level - std::log(kOfWalk)) / 2);
  walk.is_walk = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t length = std::size(kBelow) - x.size() + i;
    const double excess = log_v[i] - x[i] - level;
    if (excess < kBelow[length] || excess > kAbove[length]) walk.is_walk = false;
  }
  return walk;
}

}  // namespace cotangent
