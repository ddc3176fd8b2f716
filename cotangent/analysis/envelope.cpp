#include "cotangent/analysis/envelope.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent {
namespace {

struct Line {
  double slope = 0, rms = 0;
};

// y = a + b x by least squares.
Line fit_line(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x_mean += x[i] / n;
    y_mean += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {.slope = slope, .rms = std::sqrt(std::max(0., yy - slope * xy) / n)};
}

constexpr std::size_t kFewestBins = 12;

// Whether y stays within a range of `bound` for `length` bins, somewhere in `bins`.
bool rests(std::span<const SeriesBin> bins, double bound, std::size_t length) {
  for (std::size_t begin = 0; begin + length <= bins.size(); ++begin) {
    double min = bins[begin].min, max = bins[begin].max;
    for (std::size_t i = begin; i < begin + length && max - min < bound; ++i) {
      min = std::min(min, bins[i].min);
      max = std::max(max, bins[i].max);
    }
    if (max - min < bound) return true;
  }
  return false;
}

}  // namespace

std::vector<double> running_maximum(std::span<const SeriesBin> bins, double reference) {
  std::vector<double> result;
  result.reserve(bins.size());
  double largest = 0;
  for (const SeriesBin& bin : bins) {
    largest = std::max({largest, std::abs(bin.min - reference), std::abs(bin.max - reference)});
    result.push_back(largest);
  }
  return result;
}

std::size_t first_reaching(std::span<const double> rising, double value) {
  return static_cast<std::size_t>(std::lower_bound(rising.begin(), rising.end(), value) - rising.begin());
}

ExponentialGrowth find_exponential(std::span<const SeriesBin> bins, double reference, double level) {
  ExponentialGrowth growth;
  if (bins.size() < kFewestBins) return growth;
  const std::vector<double> envelope = running_maximum(bins, reference);
  const double start = bins.front().t_first, last = envelope.back();
  // The first positive value, as y - y_ref begins with 0.
  const double first = *std::upper_bound(envelope.begin(), envelope.end() - 1, 0.);
  const std::size_t begin = first_reaching(envelope, 3 * std::max(first, level));
  const std::size_t end = first_reaching(envelope, last / 4) + 1;
  if (!(last > 0) || end < begin + kFewestBins) return growth;

  std::vector<double> t, log_t, log_e;
  for (std::size_t i = begin; i < end; ++i) {
    t.push_back(bins[i].t_last - start);
    log_t.push_back(std::log(t.back()));
    log_e.push_back(std::log(envelope[i]));
  }
  const Line exponential = fit_line(t, log_e), power = fit_line(log_t, log_e);
  const double rise = log_e.back() - log_e.front();
  growth.rate = exponential.slope;
  growth.factor = std::exp(rise);
  growth.from = t.front();
  growth.until = t.back();
  const std::size_t middle =
      static_cast<std::size_t>(std::lower_bound(t.begin(), t.end() - 1, (t.front() + t.back()) / 2) - t.begin());
  const double late_power = (log_e.back() - log_e[middle]) / (log_t.back() - log_t[middle]);
  const bool is_better = exponential.rms * exponential.rms < 0.7 * power.rms * power.rms;
  const auto after = bins.subspan(end, std::min(bins.size() - end, 4 * (end - begin)));
  growth.is_found = late_power > (is_better ? 4.5 : 6) && exponential.rms < rise / 7 &&
                    !rests(after, envelope[end - 1] / 3, 3 * (end - begin) / 4);
  const double promised = std::log(envelope[end - 1]) + growth.rate * (bins.back().t_last - start - growth.until);
  growth.is_saturated = promised > std::log(10 * last);
  growth.saturated_from = bins[first_reaching(envelope, 0.7 * last)].t_last - start;
  return growth;
}

}  // namespace cotangent
