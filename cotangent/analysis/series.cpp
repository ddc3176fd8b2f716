#include "cotangent/analysis/series.hpp"

#include <algorithm>
#include <cmath>

#include "cotangent/base/check.hpp"

namespace cotangent {
namespace {

// Squares of larger values overflow in sums.
constexpr double kLargest = 1e140;

}  // namespace

void SeriesBin::add(const SeriesBin& later) {
  if (later.count == 0) return;
  if (count == 0) {
    *this = later;
    return;
  }
  const double n_a = static_cast<double>(count), n_b = static_cast<double>(later.count), share = n_b / (n_a + n_b);
  const double dt = later.t_mean - t_mean, dy = later.mean - mean;
  count += later.count;
  t_last = later.t_last;
  y_last = later.y_last;
  min = std::min(min, later.min);
  max = std::max(max, later.max);
  t_mean += dt * share;
  mean += dy * share;
  tt += later.tt + dt * dt * (n_a * share);
  ty += later.ty + dt * dy * (n_a * share);
  yy += later.yy + dy * dy * (n_a * share);
}

Series::Series(int capacity) : bins_(static_cast<std::size_t>(capacity)) {
  COTANGENT_CHECK(capacity >= 64 && capacity % 2 == 0);
}

void Series::add(double t, double y) {
  if (!(std::abs(y) <= kLargest)) {
    if (not_finite_ == 0) first_not_finite_ = t;
    ++not_finite_;
    huge_before_ = huge_;
    if (std::isfinite(y)) huge_ = std::max(huge_, std::abs(y));
    added_ = Added::not_finite;
    return;
  }
  if (size_ == 0) origin_ = y;
  ++size_;
  if (used_ > 0) {
    SeriesBin& last = bins_[static_cast<std::size_t>(used_ - 1)];
    if (last.count < stride_) {
      before_ = last;
      last.add(t, y - origin_);
      added_ = Added::point;
      return;
    }
  }
  if (used_ == static_cast<int>(bins_.size())) merge();
  SeriesBin& next = bins_[static_cast<std::size_t>(used_++)];
  next = {};
  next.add(t, y - origin_);
  added_ = Added::bin;
}

void Series::take_back() {
  COTANGENT_CHECK(added_ != Added::nothing);
  if (added_ == Added::not_finite) {
    --not_finite_;
    huge_ = huge_before_;
  } else {
    --size_;
    if (added_ == Added::bin) --used_;
    if (added_ == Added::point) bins_[static_cast<std::size_t>(used_ - 1)] = before_;
  }
  added_ = Added::nothing;
}

void SeriesBin::state(Archive& archive) {
  archive("n", count);
  std::vector<double> all{t_first, t_last, y_first, y_last, min, max, t_mean, mean, tt, ty, yy};
  const std::size_t size = all.size();
  archive("of", all);
  if (all.size() != size) archive.fail("a bin has other numbers");
  std::size_t k = 0;
  for (double* x : {&t_first, &t_last, &y_first, &y_last, &min, &max, &t_mean, &mean, &tt, &ty, &yy}) *x = all[k++];
}

void Series::state(Archive& archive) {
  std::vector<SeriesBin> used(bins_.begin(), bins_.begin() + used_);
  archive("bins", used);
  if (used.size() > bins_.size()) archive.fail("there are too many bins");
  std::copy(used.begin(), used.end(), bins_.begin());
  used_ = static_cast<int>(used.size());
  archive("stride", stride_);
  archive("size", size_);
  archive("not_finite", not_finite_);
  archive("origin", origin_);
  archive("first_not_finite", first_not_finite_);
  archive("huge", huge_);
  added_ = Added::nothing;
}

void Series::merge() {
  for (std::size_t i = 0; i < bins_.size() / 2; ++i) {
    SeriesBin pair = bins_[2 * i];
    pair.add(bins_[2 * i + 1]);
    bins_[i] = pair;
  }
  used_ = static_cast<int>(bins_.size() / 2);
  stride_ *= 2;
}

SeriesBin Series::all() const {
  SeriesBin all;
  for (const SeriesBin& bin : bins()) all.add(bin);
  return all;
}

double Series::largest() const {
  const SeriesBin every = all();
  return std::max({huge_, std::abs(origin_ + every.min), std::abs(origin_ + every.max)});
}

}  // namespace cotangent
