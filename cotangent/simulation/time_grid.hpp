#pragma once

#include <cstdint>
#include <optional>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// What a user asks for. Numbers are decimals, see decimal().
struct TimeGridOptions {
  double step = 0;                         ///< h
  double end = 0;                          ///< the final time; trajectories begin at 0
  std::optional<std::int64_t> every = {};  ///< record every K-th step; every step if neither is given
  std::optional<double> sample = {};       ///< record at the times 0, DT, 2 DT, ...
};

/// The times t_0 = 0, t_1, ..., t_N = end at which a fixed-step run stops, and which of them are recorded.
///
/// t_k = k h but for t_N: the last step is shorter where end is no multiple of h. Times are computed, never
/// added up.
///
/// Sampling times are steps, never interpolated. Where DT is no multiple of h the step is made smaller, to DT
/// / K with the smallest K for which that is at most h, so that it stays the same in the whole run;
/// step_was_reduced() says so. The first and the last point are always recorded.
template <class T>
class TimeGrid {
 public:
  /// @throws std::invalid_argument for a step or end that makes no sense, in the words of the options.
  explicit TimeGrid(const TimeGridOptions& options);

  std::int64_t steps() const { return steps_; }
  T end() const { return end_; }
  T step() const { return h_; }
  bool step_was_reduced() const { return reduced_; }

  /// t_k.
  T time(std::int64_t k) const {
    if (k == steps_) return end_;
    if (per_sample_ == 1) return static_cast<T>(k) * sample_;
    return static_cast<T>(k / per_sample_) * sample_ + static_cast<T>(k % per_sample_) * h_;
  }

  /// The length of step k = 1, ..., N, which ends at t_k.
  T length(std::int64_t k) const { return k == steps_ ? last_ : h_; }

  bool is_recorded(std::int64_t k) const { return record_every_ == 1 || k % record_every_ == 0 || k == steps_; }

 private:
  T h_, end_, last_;
  T sample_;  // t_k is a multiple of this where k is a multiple of per_sample_
  std::int64_t per_sample_ = 1;
  std::int64_t record_every_ = 1;
  std::int64_t steps_ = 0;
  bool reduced_ = false;
};

extern template class TimeGrid<double>;
extern template class TimeGrid<long double>;
extern template class TimeGrid<Quad>;

}  // namespace cotangent
