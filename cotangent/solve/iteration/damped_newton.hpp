#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/scattered_signs.hpp"
#include "cotangent/solve/direct/pivoted_lu.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {

/// What does not shrink may be rounding errors if it is smaller than this, in units of its size and whatever the
/// precision: the condition of stiff equations is not bounded. It is then measured what rounding makes of it.
inline constexpr double kMostNoise = 1e-3;

/// Newton's method with the whole matrix and damped steps, for small systems that nothing cheaper solves:
///
///   J = r'(x),   J d = r(x),   x <- x - a d,   0 < a <= 1
///
/// A step is taken if it makes what the same matrix says of the distance to the solution smaller,
///
///   |J^-1 r(x - a d)| <= (1 - a/4) |d|        (the natural monotonicity test)
///
/// and is otherwise shortened. |r| is no measure of that distance where forces are stiff: a step along a stiff rod
/// makes r larger by far, and x better. So the iteration follows the Newton path from where it starts. Where the
/// determinant of J has changed its sign a step has left that path for the one of another solution, and is made again,
/// shorter. A matrix that is good enough is kept:
/// x <- x - J^-1 r(x) as long as that gains a factor of four.
///
/// It ends where r was found last, not one correction further: what the caller keeps of an evaluation belongs to x.
///
/// Rounding errors of r leave corrections J^-1 r that may be much more than epsilon: where they do not get smaller it
/// is measured what moving every component of x by epsilon times its size makes of them.
///
/// Columns of J are central differences. They need 2 size evaluations; solves are of the third power of the size.
/// In a batch one lane is solved at a time, as a run in double would be.
///
/// Reference: [deuflhard04, 3.3].
template <class T>
class DampedNewton {
 public:
  using Number = LaneOf<T>;

  explicit DampedNewton(std::size_t size)
      : size_(size),
        lu_(size),
        matrix_(size * size, Number(0)),
        weights_(size, Number(0)),
        d_(weights_),
        next_(weights_),
        noise_(weights_),
        work_(weights_),
        r_(size, T(0)),
        ahead_(r_),
        behind_(r_),
        moved_(r_),
        beside_(r_),
        begin_(r_) {}

  struct Result {
    bool converged = false;
    std::int64_t iterations = 0, evaluations = 0;
    Number residual = infinity<T>();  ///< of the last correction
  };

  /// @param evaluate as that of FixedPoint; it keeps `weights` up to date.
  /// @param x the guess before, the solution after, in that lane.
  /// @param near corrections that no longer become smaller, but are below this times epsilon, are what rounding leaves.
  template <class Evaluate>
  Result solve(const Evaluate& evaluate, std::vector<T>& x, const std::vector<T>& weights, int which, double near) {
    which_ = which;
    // A step that is shorter than half of the digits is none.
    const Number floor = epsilon<T>(), least_damping = sqrt(floor), near_floor = static_cast<Number>(near) * floor;
    T marker(0);
    set(marker, Number(1));
    const Mask<T> only = marker > T(0);
    Result result;
    const auto look = [&](const std::vector<T>& at, std::vector<T>& r, bool is_probe) {
      ++result.evaluations;
      const Mask<T> found = evaluate(at.data(), r.data(), only, is_probe);
      return lane(found, which_) && is_finite(r);
    };

    if (!look(x, r_, false)) return result;
    Number damping(1);
    int sign = 1;
    while (result.iterations < kMostIterations) {
      ++result.iterations;
      for (std::size_t j = 0; j < size_; ++j) weights_[j] = lane(weights[j], which_);
      if (!differentiate(look, x) || !lu_.factor(matrix_)) return result;
      if (result.iterations == 1) {
        sign = lu_.sign();
      } else if (lu_.sign() != sign) {
        damping /= Number(16);
        if (damping < least_damping) return result;
        x = begin_;
        if (!look(x, r_, false)) return result;
        continue;
      }
      correction(r_, d_);
      Number size = norm(d_);
      result.residual = size;
      damping = min(Number(1), Number(4) * damping);
      begin_ = x;
      // The damped step.
      while (true) {
        for (std::size_t j = 0; j < size_; ++j) moved_[j] = shifted(x[j], -damping * d_[j]);
        const bool is_found = look(moved_, ahead_, false);
        if (is_found) correction(ahead_, next_);
        if (is_found && norm(next_) <= (Number(1) - damping / Number(4)) * size) break;
        // What rounding leaves does not shrink, although the matrix is that of x.
        if (is_found && (size <= near_floor || size <= static_cast<Number>(kNearUnits) * noise(look, x, size))) {
          accept(x);
          return finish(look, x, result);
        }
        damping /= Number(2);
        if (damping < least_damping) return result;
      }
      accept(x);
      // The same matrix as long as it is good enough.
      while (damping == Number(1)) {
        const Number after = norm(next_);
        result.residual = after;
        const bool is_slow = after > size / Number(4);
        if (after <= floor || (is_slow && after <= static_cast<Number>(2 * kZeroUnits) * noise(look, x, after))) {
          return finish(look, x, result);
        }
        if (is_slow) break;
        size = after;
        for (std::size_t j = 0; j < size_; ++j) moved_[j] = shifted(x[j], -next_[j]);
        if (!look(moved_, ahead_, false)) return result;
        correction(ahead_, next_);
        accept(x);
        ++result.iterations;
      }
    }
    return result;
  }

 private:
  static constexpr std::int64_t kMostIterations = 200;

  void set(T& x, const Number& value) const {
    if constexpr (is_dual<T>) {
      x.value = value;
    } else if constexpr (lane_count<T> > 1) {
      x[which_] = value;
    } else {
      x = value;
    }
  }
  T shifted(T x, const Number& change) const {
    set(x, lane(x, which_) + change);
    return x;
  }
  bool is_finite(const std::vector<T>& r) const {
    for (const T& entry : r)
      if (!isfinite(lane(entry, which_))) return false;
    return true;
  }
  Number norm(const std::vector<Number>& d) const {
    Number most(0);
    for (std::size_t j = 0; j < size_; ++j) most = max(most, abs(d[j]) * weights_[j]);
    return isfinite(most) ? most : static_cast<Number>(infinity<T>());
  }
  void correction(const std::vector<T>& r, std::vector<Number>& d) {
    for (std::size_t j = 0; j < size_; ++j) d[j] = lane(r[j], which_);
    lu_.solve(d.data(), work_);
  }
  // x and r go to where the last step has led.
  void accept(std::vector<T>& x) {
    std::swap(x, moved_);
    std::swap(r_, ahead_);
  }

  template <class Look>
  bool differentiate(const Look& look, const std::vector<T>& x) {
    const auto step = static_cast<Number>(std::cbrt(static_cast<double>(epsilon<T>())));
    moved_ = x;
    for (std::size_t j = 0; j < size_; ++j) {
      const Number distance = weights_[j] > Number(0) ? step / weights_[j] : step;
      moved_[j] = shifted(x[j], distance);
      const bool is_ahead = look(moved_, ahead_, true);
      moved_[j] = shifted(x[j], -distance);
      if (!look(moved_, behind_, true) || !is_ahead) return false;
      const Number between = (lane(x[j], which_) + distance) - (lane(x[j], which_) - distance);
      for (std::size_t i = 0; i < size_; ++i)
        matrix_[i * size_ + j] = (lane(ahead_[i], which_) - lane(behind_[i], which_)) / between;
      moved_[j] = x[j];
    }
    return true;
  }

  // What rounding leaves of a correction at x, where r is r_, if one of that size may be meant.
  template <class Look>
  Number noise(const Look& look, const std::vector<T>& x, const Number& size) {
    if (!(size <= static_cast<Number>(kMostNoise))) return Number(0);
    ScatteredSigns sign;
    for (std::size_t j = 0; j < size_; ++j) {
      const Number unit = weights_[j] > Number(0) ? epsilon<T>() / weights_[j] : Number(0);
      beside_[j] = shifted(x[j], sign(unit));
    }
    if (!look(beside_, behind_, true)) return Number(0);
    for (std::size_t j = 0; j < size_; ++j) behind_[j] -= r_[j];
    correction(behind_, noise_);
    return norm(noise_);
  }

  // The derivatives of the solution, where there are any: by the matrix there, twice because it is not exact.
  template <class Look>
  Result finish(const Look& look, std::vector<T>& x, Result result) {
    result.converged = true;
    if constexpr (is_dual<T>) {
      result.converged = differentiate(look, x) && lu_.factor(matrix_);
      for (int repeat = 0; repeat < 2; ++repeat) {
        result.converged = result.converged && look(x, r_, false);
        for (int k = 0; k < T::kTangents; ++k) {
          for (std::size_t j = 0; j < size_; ++j) d_[j] = r_[j].d[k];
          lu_.solve(d_.data(), work_);
          for (std::size_t j = 0; j < size_; ++j) x[j].d[k] -= d_[j];
        }
      }
    }
    return result;
  }

  std::size_t size_;
  int which_ = 0;  // the lane
  PivotedLu<Number> lu_;
  std::vector<Number> matrix_, weights_, d_, next_, noise_, work_;
  std::vector<T> r_, ahead_, behind_, moved_, beside_, begin_;
};

}  // namespace cotangent
