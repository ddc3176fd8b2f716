#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "cotangent/simulation/pace/time_span.hpp"

namespace cotangent {

/// What a user asks for. Numbers are decimals, see decimal().
struct TimeGridOptions {
  double step = 0;                         ///< |h|
  double end = 0;                          ///< the final time
  std::optional<std::int64_t> every = {};  ///< record every K-th step; every step if neither is given
  std::optional<double> sample = {};       ///< record DT, 2 DT, ... after the start
  double start = 0;                        ///< the first time

  TimeSpan span() const { return {start, end}; }
};

/// Numbers from which no grid can be made.
class TimeGridError : public std::invalid_argument {
 public:
  TimeGridError(std::string option, const std::string& message, std::string other = {})
      : std::invalid_argument(message), option_(std::move(option)), other_(std::move(other)) {}

  /// The one that is to blame: "step", "end", "every" or "sample".
  const std::string& option() const { return option_; }
  /// One that it does not go with, and that may be to blame as well; or nothing.
  const std::string& other() const { return other_; }

 private:
  std::string option_, other_;
};

/// Refuses times, and records, that make no sense. @throws TimeGridError
void check_times(const TimeSpan& span, const std::optional<std::int64_t>& every, const std::optional<double>& sample);

/// The times t_0 = start, t_1, ..., t_N = end at which a fixed-step run stops, and which of them are recorded.
///
/// t_k = start + k h but for t_N: the last step is shorter where none of them is the end. h < 0 where the end is before
/// the start. Times are computed, never added up, and rounded once where h is a short decimal: with a step of 0.1, t_3
/// - start is 0.3 and not 0.30000000000000004.
///
/// Sampling times are steps, never interpolated. Where DT is no multiple of h the step is made smaller, to DT
/// / K with the smallest K for which that is at most h, so that it stays the same in the whole run;
/// step_was_reduced() says so. The first and the last point are always recorded.
template <class T>
class TimeGrid {
 public:
  /// @throws TimeGridError
  explicit TimeGrid(const TimeGridOptions& options);

  std::int64_t steps() const { return steps_; }
  T start() const { return start_; }
  T end() const { return end_; }
  T step() const { return h_; }  ///< h, with its sign
  bool step_was_reduced() const { return reduced_; }

  /// Whether a run along the grid meets a before b.
  bool is_before(const T& a, const T& b) const { return h_ < T(0) ? b < a : a < b; }

  /// t_k.
  T time(std::int64_t k) const {
    if (k == steps_) return end_;
    if (!reduced_ && of_step_.is_exact(k)) return of_step_(k);
    return of_sample_(k / per_sample_) + static_cast<T>(k % per_sample_) * h_;
  }

  /// The length of step k = 1, ..., N, which ends at t_k.
  T length(std::int64_t k) const { return k == steps_ ? last_ : h_; }

  bool is_recorded(std::int64_t k) const { return record_every_ == 1 || k % record_every_ == 0 || k == steps_; }

  /// Whether it would be recorded on a longer grid, too.
  bool is_recorded_anyway(std::int64_t k) const { return k % record_every_ == 0 && (k != steps_ || last_ == h_); }

 private:
  T h_, start_, end_, last_;
  DecimalMultiples<T> of_step_;    // t_k, but for a reduced step
  DecimalMultiples<T> of_sample_;  // t_k where k is a multiple of per_sample_
  std::int64_t per_sample_ = 1;
  std::int64_t record_every_ = 1;
  std::int64_t steps_ = 0;
  bool reduced_ = false;
};

COTANGENT_DECLARE(PRECISIONS, TimeGrid);

}  // namespace cotangent
