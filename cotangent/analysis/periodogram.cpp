#include "cotangent/analysis/periodogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <numbers>

namespace cotangent {
namespace {

using Complex = std::complex<double>;

// X_k = sum_n x_n exp(-2 pi i k n/N) in place, N a power of two.
void transform(std::vector<Complex>& x) {
  const std::size_t size = x.size();
  for (std::size_t i = 1, j = 0; i < size; ++i) {  // j is i with its bits reversed
    std::size_t bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Complex> roots(size / 2);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    roots[k] = std::polar(1., -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size));
  }
  for (std::size_t length = 2; length <= size; length *= 2) {
    const std::size_t half = length / 2, stride = size / length;
    for (std::size_t begin = 0; begin < size; begin += length) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex even = x[begin + k], odd = x[begin + k + half] * roots[k * stride];
        x[begin + k] = even + odd;
        x[begin + k + half] = even - odd;
      }
    }
  }
}

// Power of side lobes at the distance d, in units of the resolution, of a line of power 1; at most 1.
double side_lobe(double d, bool hann) {
  const double amplitude = hann ? std::numbers::pi * d * std::abs(d * d - 1) : std::numbers::pi * d;
  return 1 / std::max(1., amplitude * amplitude);
}

// Where the power falls to half of that at the top, on one side, in indices.
double half_maximum(const std::vector<double>& power, std::size_t top, double half, int direction) {
  std::size_t i = top;
  while (power[i] > half) {
    if ((direction < 0 && i == 0) || (direction > 0 && i + 1 == power.size())) return static_cast<double>(i);
    i = direction < 0 ? i - 1 : i + 1;
  }
  const std::size_t before = direction < 0 ? i + 1 : i - 1;
  const double share = (power[before] - half) / (power[before] - power[i]);
  return static_cast<double>(before) + direction * share;
}

// Whether the power falls to half of that at the top before it is larger: otherwise this is a ripple on something
// wider.
bool stands_out(const std::vector<double>& power, std::size_t top) {
  const auto falls = [&](auto begin, auto end) {
    const auto stop = std::find_if(begin, end, [&](double p) { return p > power[top] || p < power[top] / 2; });
    return stop == end || *stop < power[top];
  };
  const auto at = power.begin() + static_cast<std::ptrdiff_t>(top);
  return falls(at, power.end()) && falls(std::make_reverse_iterator(at), power.rend());
}

// The peak about the local maximum at j > 0.
SpectralPeak peak_at(const Periodogram& spectrum, std::size_t j) {
  const std::vector<double>& power = spectrum.power;
  double shift = 0, log_top = std::log(power[j]);
  if (j + 1 < power.size() && power[j - 1] > 0 && power[j + 1] > 0) {
    // The parabola through the logarithms.
    const double left = std::log(power[j - 1]), right = std::log(power[j + 1]);
    const double curvature = left - 2 * log_top + right;
    if (curvature < 0) {
      shift = (left - right) / (2 * curvature);
      log_top -= (left - right) * shift / 4;
    }
  }
  SpectralPeak peak;
  peak.frequency = (static_cast<double>(j) + shift) * spectrum.spacing;
  peak.power = std::exp(log_top);
  peak.amplitude = std::sqrt(2 * peak.power);
  peak.width =
      (half_maximum(power, j, peak.power / 2, 1) - half_maximum(power, j, peak.power / 2, -1)) * spectrum.spacing;
  return peak;
}

}  // namespace

Periodogram periodogram(double dt, std::span<const double> samples, const PeriodogramOptions& options) {
  Periodogram result;
  const std::size_t count = samples.size();
  if (count < 4 || !(dt > 0)) return result;
  const double n = static_cast<double>(count);
  std::vector<double> weights;
  double mean = 0, largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = 2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / n;
    weights.push_back(options.hann ? 1 - std::cos(place) : 1);
    mean += weights[i] * samples[i];
    largest = std::max(largest, std::abs(samples[i]));
  }
  mean /= n;

  std::vector<Complex> x(std::bit_ceil(4 * count));
  for (std::size_t i = 0; i < count; ++i) x[i] = weights[i] * (samples[i] - mean);
  transform(x);
  result.resolution = 1 / (n * dt);
  result.line_width = (options.hann ? 1.441 : 0.886) * result.resolution;
  result.spacing = 1 / (static_cast<double>(x.size()) * dt);
  for (std::size_t k = 0; k <= x.size() / 2; ++k) result.power.push_back(2 * std::norm(x[k]) / (n * n));

  std::vector<std::size_t> tops;
  for (std::size_t k = 1; k < result.power.size(); ++k) {
    const bool falls = k + 1 == result.power.size() || result.power[k] >= result.power[k + 1];
    if (result.power[k] > result.power[k - 1] && falls) tops.push_back(k);
  }
  std::stable_sort(tops.begin(), tops.end(), [&](auto i, auto j) { return result.power[i] > result.power[j]; });
  const double rounding = std::pow(8 * std::numeric_limits<double>::epsilon() * largest, 2);
  for (const std::size_t top : tops) {
    if (result.power[top] <= rounding) break;
    if (result.peaks.size() >= static_cast<std::size_t>(std::max(0, options.most_peaks))) break;
    if (!result.peaks.empty() && result.power[top] < options.weakest * result.peaks.front().power) break;
    if (!stands_out(result.power, top)) continue;
    // Amplitudes of side lobes may add up. Each line has images at -f and, as all is periodic in f, at 1/dt - f.
    double lobes = 0;
    const double f = result.frequency(top);
    for (const SpectralPeak& other : result.peaks) {
      for (const double d : {std::abs(f - other.frequency), f + other.frequency, 1 / dt - f - other.frequency}) {
        lobes += std::sqrt(other.power * side_lobe(d / result.resolution, options.hann));
      }
    }
    if (result.power[top] > 4 * lobes * lobes) result.peaks.push_back(peak_at(result, top));
  }
  return result;
}

}  // namespace cotangent
