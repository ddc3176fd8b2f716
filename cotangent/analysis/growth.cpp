#include "cotangent/analysis/growth.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cotangent {
namespace {

constexpr std::size_t kMostOctaves = 6, kFewestOctaves = 4;
constexpr int kFewestBins = 4;  // of an octave: fewer see too little of an oscillation

struct Octave {
  double until, largest;
};

double slope(const std::vector<Octave>& octaves, std::size_t count, std::size_t without) {
  SeriesBin line;
  for (std::size_t i = 0; i < count; ++i)
    if (i != without) line.add(std::log(octaves[i].until), std::log(octaves[i].largest));
  return line.ty / line.tt;
}

// From late to early.
std::vector<Octave> octaves_of(const Series& series, const GrowthOptions& options) {
  std::vector<Octave> octaves;
  const double begin = series.first_time(), shift = options.from_first ? 0 : series.first_value();
  double until = series.last_time() - begin;
  for (bool goes_on = true; goes_on && octaves.size() < kMostOctaves; until /= 2) {
    double largest = 0, steps = 0;
    int bins = 0;
    for (const SeriesBin& bin : series.bins()) {
      if (bin.t_first - begin > until) break;
      steps += static_cast<double>(bin.count);
      if (bin.t_last - begin <= until / 2) continue;
      ++bins;
      largest = std::max({largest, std::abs(bin.min + shift), std::abs(bin.max + shift)});
    }
    goes_on = bins >= kFewestBins && largest > kNearLevel * options.levels.at(begin + until, steps);
    if (goes_on && largest <= options.most / 2) octaves.push_back({until, largest});
  }
  return octaves;
}

}  // namespace

Growth fit_growth(const Series& series, const GrowthOptions& options) {
  Growth growth;
  const std::vector<Octave> octaves = octaves_of(series, options);
  const std::size_t count = octaves.size();
  if (count < kFewestOctaves) return growth;
  growth.from = octaves.back().until / 2;
  growth.until = octaves.front().until;
  growth.exponent = slope(octaves, (count + 1) / 2, count);
  SeriesBin left_out;
  for (std::size_t i = 0; i < count; ++i) left_out.add(0, slope(octaves, count, i));
  const double n = static_cast<double>(count), jackknife = std::sqrt((n - 1) / n * left_out.yy);
  growth.error = std::hypot(jackknife, growth.exponent - slope(octaves, count, count));
  return growth;
}

}  // namespace cotangent
