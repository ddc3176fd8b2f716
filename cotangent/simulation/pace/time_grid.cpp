#include "cotangent/simulation/pace/time_grid.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"

namespace cotangent {
namespace {

// How many times b goes into a: exactly (but for rounding), or with a rest.
struct Division {
  std::int64_t count;  // rounded up
  bool exact;
};

template <class T>
Division divide(T a, T b) {
  const T ratio = a / b;
  const auto nearest = static_cast<std::int64_t>(ratio + T(0.5));
  const T rounding = T(8) * epsilon<T>() * max(ratio, T(1));
  if (abs(ratio - static_cast<T>(nearest)) <= rounding) return {nearest, true};
  return {static_cast<std::int64_t>(ratio) + 1, false};
}

void check(const TimeGridOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    throw TimeGridError("step", fmt::format("the step must be positive, not {}", options.step));
  check_times(options.end, options.every, options.sample);
  const double step = options.sample ? std::fmin(options.step, *options.sample) : options.step;
  const auto most = static_cast<double>(kLimits.integer);
  if (options.end / step > most || (options.sample && *options.sample / step > most))
    throw TimeGridError(
        "step", fmt::format("an end of {} with a step of {} makes more steps than can be counted", options.end, step));
}

}  // namespace

void check_times(double end, const std::optional<std::int64_t>& every, const std::optional<double>& sample) {
  if (!(end >= 0) || !std::isfinite(end))
    throw TimeGridError(
        "end", fmt::format("the end must be a time after the start at 0, not {}; runs go forward in time", end));
  if (every && sample) throw TimeGridError("sample", "give either 'every' or 'sample', not both");
  if (every && *every < 1) throw TimeGridError("every", fmt::format("every must be at least 1, not {}", *every));
  if (sample && (!(*sample > 0) || !std::isfinite(*sample)))
    throw TimeGridError("sample", fmt::format("sample must be a positive time, not {}", *sample));
}

template <class T>
TimeGrid<T>::TimeGrid(const TimeGridOptions& options) {
  check(options);
  h_ = decimal<T>(options.step);
  end_ = decimal<T>(options.end);
  of_step_ = of_sample_ = DecimalMultiples<T>(options.step);
  if (options.every) record_every_ = *options.every;
  if (options.sample) {
    const T sample = decimal<T>(*options.sample);
    of_sample_ = DecimalMultiples<T>(*options.sample);
    const Division division = divide(sample, h_);
    reduced_ = !division.exact || division.count == 0;
    per_sample_ = record_every_ = max(division.count, std::int64_t{1});
    if (reduced_) h_ = sample / static_cast<T>(per_sample_);
  }
  const Division division = divide(end_, h_);
  steps_ = division.count;
  last_ = h_;
  if (!division.exact) last_ = end_ - time(steps_ - 1);
}

COTANGENT_INSTANTIATE(PRECISIONS, TimeGrid);

}  // namespace cotangent
