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
  check_times(options.span(), options.every, options.sample);
  const auto expect_countable = [&](const char* option, const char* other, double length, double part) {
    if (length / part > static_cast<double>(kLimits.integer))
      throw TimeGridError(option, fmt::format("{} is made of more parts of {} than can be counted", length, part),
                          other);
  };
  expect_countable("step", "end", options.span().length(), options.step);
  if (!options.sample) return;
  expect_countable("sample", "end", options.span().length(), *options.sample);
  expect_countable("sample", "step", *options.sample, options.step);
}

}  // namespace

void check_times(const TimeSpan& span, const std::optional<std::int64_t>& every, const std::optional<double>& sample) {
  if (!std::isfinite(span.start)) throw TimeGridError("start", fmt::format("must be a time, not {}", span.start));
  if (!std::isfinite(span.end)) throw TimeGridError("end", fmt::format("must be a time, not {}", span.end));
  if (every && sample) throw TimeGridError("sample", "give either 'every' or 'sample', not both");
  if (every && *every < 1) throw TimeGridError("every", fmt::format("every must be at least 1, not {}", *every));
  if (sample && (!(*sample > 0) || !std::isfinite(*sample)))
    throw TimeGridError("sample", fmt::format("sample must be a positive time, not {}", *sample));
}

template <class T>
TimeGrid<T>::TimeGrid(const TimeGridOptions& options) {
  check(options);
  const double sign = options.span().sign();
  h_ = decimal<T>(sign * options.step);
  start_ = decimal<T>(options.start);
  end_ = decimal<T>(options.end);
  of_step_ = of_sample_ = DecimalMultiples<T>(sign * options.step, options.start);
  if (options.every) record_every_ = *options.every;
  if (options.sample) {
    const T sample = decimal<T>(sign * *options.sample);
    of_sample_ = DecimalMultiples<T>(sign * *options.sample, options.start);
    const Division division = divide(sample, h_);
    reduced_ = !division.exact || division.count == 0;
    per_sample_ = record_every_ = max(division.count, std::int64_t{1});
    if (reduced_) h_ = sample / static_cast<T>(per_sample_);
  }
  const Division division = divide(end_ - start_, h_);
  steps_ = division.count;
  last_ = h_;
  if (!division.exact) last_ = end_ - time(steps_ - 1);
}

COTANGENT_INSTANTIATE(PRECISIONS, TimeGrid);

}  // namespace cotangent
