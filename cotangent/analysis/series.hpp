#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// Consecutive points of a signal. Values are y - y(0), so that a small motion of a
/// large quantity keeps its digits; moments are about the mean, for the same reason.
///
/// Two bins a, b make one, with n = n_a + n_b and d = mean_b - mean_a:
///
///   mean = mean_a + d n_b/n,   yy = yy_a + yy_b + d^2 n_a n_b/n,
///
/// and so for tt and ty [chan83].
struct SeriesBin {
  std::int64_t count = 0;
  double t_first = 0, t_last = 0;
  double y_first = 0, y_last = 0;
  double min = 0, max = 0;
  double t_mean = 0, mean = 0;
  double tt = 0, ty = 0, yy = 0;  ///< sums of (t - t_mean)^2, (t - t_mean)(y - mean), (y - mean)^2

  void add(const SeriesBin& later);
  void add(double t, double y) {
    add({.count = 1, .t_first = t, .t_last = t, .y_first = y, .y_last = y, .min = y, .max = y, .t_mean = t, .mean = y});
  }

  void state(Archive& archive);
};

/// A signal y(t), given point by point, in bounded memory: bins of equally many points, of which two neighbours become
/// one whenever there is no room for another. So a series has between capacity/2 and capacity bins from capacity/2
/// points on, all of 2^k points but the last, and up to capacity points it knows each of them.
///
///   Series energy;
///   energy.add(t, H);            // each step; constant time, allocates nothing
///   energy.take_back();          // the step just made is made again
///   measure_drift(energy);
///
/// The signal should be given with its sign, not as a magnitude: a drift that passes through zero is one.
class Series {
 public:
  /// @param capacity an even number of bins, at least 64.
  explicit Series(int capacity = 2048);

  /// Times increase. A y that is not finite, or whose square is not, is counted, and nothing else but largest().
  void add(double t, double y);

  /// Forgets the point added last; at most once after each add.
  void take_back();

  /// What it knows, for a checkpoint; not what take_back() needs.
  void state(Archive& archive);

  /// The bins in use, of y - first_value(). The last may be shorter than the others.
  std::span<const SeriesBin> bins() const { return {bins_.data(), static_cast<std::size_t>(used_)}; }

  std::int64_t size() const { return size_; }  ///< finite points
  bool empty() const { return size_ == 0; }
  double first_time() const { return used_ ? bins_[0].t_first : 0; }
  double last_time() const { return used_ ? bins_[static_cast<std::size_t>(used_ - 1)].t_last : 0; }
  double first_value() const { return origin_; }  ///< y(0)
  double last_value() const { return used_ ? origin_ + bins_[static_cast<std::size_t>(used_ - 1)].y_last : 0; }
  SeriesBin all() const;   ///< all bins as one
  double largest() const;  ///< |y|, of all that are finite

  std::int64_t not_finite() const { return not_finite_; }        ///< points whose y, or its square, is NaN or infinite
  double first_not_finite() const { return first_not_finite_; }  ///< time of the first of them

 private:
  void merge();

  std::vector<SeriesBin> bins_;
  int used_ = 0;
  std::int64_t stride_ = 1;  // points of a full bin
  std::int64_t size_ = 0, not_finite_ = 0;
  double origin_ = 0, first_not_finite_ = 0;
  double huge_ = 0, huge_before_ = 0;  // the largest |y| that is finite but has no place in a bin; before the last add

  enum class Added { nothing, point, bin, not_finite };
  Added added_ = Added::nothing;  // what the last add did
  SeriesBin before_;              // the last bin before it
};

}  // namespace cotangent
