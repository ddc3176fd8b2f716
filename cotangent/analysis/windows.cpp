#include "cotangent/analysis/windows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cotangent {
namespace {

// sqrt 2 times the rms of y about its line, in one part of the run.
double amplitude(std::span<const SeriesBin> bins) {
  SeriesBin all;
  for (const SeriesBin& bin : bins) all.add(bin);
  if (all.count < 3) return 0;
  const double about_line = all.yy - (all.tt > 0 ? all.ty * all.ty / all.tt : 0);
  return std::sqrt(2 * std::max(0., about_line) / static_cast<double>(all.count));
}

}  // namespace

Window hann_mean(std::span<const SeriesBin> bins, double centre, double half) {
  const double start = bins.front().t_first;
  const auto first = static_cast<std::size_t>(std::max(0., std::floor(centre - half)));
  const auto end = std::min(bins.size(), static_cast<std::size_t>(std::ceil(centre + half)));
  double weights = 0, t = 0, y = 0;
  // cos(pi x) bin by bin: cos(a + d) = 2 cos(d) cos(a) - cos(a - d)
  const double step = std::numbers::pi / half, turn = 2 * std::cos(step);
  const double angle = (static_cast<double>(first) + 0.5 - centre) * step;
  double cosine = std::cos(angle), previous = std::cos(angle - step);
  for (std::size_t i = first; i < end; ++i) {
    if (std::abs(static_cast<double>(i) + 0.5 - centre) < half) {
      const double w = static_cast<double>(bins[i].count) * (1 + cosine);
      weights += w;
      t += w * (bins[i].t_mean - start);
      y += w * bins[i].mean;
    }
    const double next = turn * cosine - previous;
    previous = cosine;
    cosine = next;
  }
  return {.t = t / weights, .mean = y / weights, .amplitude = 0};
}

std::vector<Window> windows(std::span<const SeriesBin> bins, int count) {
  const double n = static_cast<double>(bins.size()), half = n / (count + 1);
  std::vector<Window> result;
  for (int k = 0; k < count; ++k) {
    result.push_back(hann_mean(bins, (k + 1) * half, half));
    const auto begin = static_cast<std::size_t>(std::lround(k * n / count));
    const auto end = static_cast<std::size_t>(std::lround((k + 1) * n / count));
    result.back().amplitude = amplitude(bins.subspan(begin, end - begin));
  }
  return result;
}

}  // namespace cotangent
