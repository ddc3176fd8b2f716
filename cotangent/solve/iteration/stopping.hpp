#pragma once

#include "cotangent/base/dual.hpp"

namespace cotangent {

/// A residual within kZeroUnits units of rounding of what it is summed up from is zero; within kNearUnits of them it
/// may be all that rounding permits.
inline constexpr double kZeroUnits = 2, kNearUnits = 64;

struct RoundingStopOptions {
  int max_iterations = 50;   ///< A lane still running after this many residuals has failed.
  double near = kNearUnits;  ///< A residual r <= near * floor may be all that rounding permits.
  int max_stalls = 3;        ///< A lane that stalls this many times away from the floor has failed.
  double shrink = 0.5;       ///< An iterate is slow if its residual exceeds this times the one before,
  bool pairs = false;        ///< or the one before that: for iterations of which every second step does nothing.
  int tangent_repeats = 1;   ///< Over dual numbers: iterations after the one that has converged.
  int patience = 1;          ///< So many slow iterates near the floor mean that it was estimated too low.
};

/// Stops an iteration that must reach rounding error. It is told the residual norm r_k of each iterate and
/// the floor, the rounding level expected of r_k. A lane runs until one of the following holds.
///
///   converged   r_k <= floor
///   converged   r_k <= near * floor  and  r_k > shrink r_{k-1}    stagnated: the floor was estimated too low
///   failed      r_k is not finite
///   failed      r_k > near * floor  and  r_k > shrink r_{k-1}  for the max_stalls-th time
///   failed      k = max_iterations
///
/// Over dual numbers what counts are the values. A Newton iteration that has converged is then made once more: with a
/// residual that is zero but for its derivatives, it is the solve that the implicit function theorem asks for. The
/// matrix of the last correction serves for it: with errors e of the values before that and d of the derivatives, those
/// of the derivatives were O(e d) after it and are O(e^2 d) now, while those of the values are O(e^2). A linear solve
/// needs no such repeat (know_tangents).
///
/// A lane that has stopped ignores later residuals, so a batch goes on until its slowest lane is done.
///
///   RoundingStop<T> stop;
///   while (stop.update(residual_norm(x), floor)) x = improve(x);
template <class T>
class RoundingStop {
 public:
  explicit RoundingStop(const RoundingStopOptions& options = {}) : options_(options) {}

  /// Takes r_k of the next iterate. @return whether some lane still runs.
  bool update(const T& residual, const T& floor) {
    return update(residual, residual <= floor, residual <= T(options_.near) * floor);
  }

  /// The same for residuals with a floor for each row: whether all rows are at their floor, and whether near it.
  bool update(const T& residual, const Mask<T>& at_floor, const Mask<T>& near) {
    const Mask<T> slow = is_slow(residual);
    previous_ = select(active_, residual_, previous_);
    residual_ = select(active_, residual, residual_);
    ++iterations_;

    stalls_ += select(slow & !near, T(1), T(0));
    slow_ += select(slow & near, T(1), T(0));
    stop(converged_, has_tangents(at_floor | (slow_ >= T(options_.patience))));
    stop(failed_,
         (!isfinite(residual)) | (stalls_ >= T(options_.max_stalls)) | Mask<T>(iterations_ >= options_.max_iterations));
    return any(active_);
  }

  /// Whether this would be a slow iterate: only then it matters whether it is near the floor. A NaN is slow.
  Mask<T> is_slow(const T& residual) const {
    return !(residual <= T(options_.shrink) * (options_.pairs ? previous_ : residual_));
  }

  /// Gives up in lanes that cannot go on. @return whether some lane still runs.
  bool fail(const Mask<T>& lanes) {
    stop(failed_, lanes);
    return any(active_);
  }

  /// Over dual numbers: an iterate whose value has converged has derivatives that have.
  void know_tangents() { repeats_ = options_.tangent_repeats; }
  /// Over dual numbers: values have converged, and the next correction is for derivatives only.
  bool is_repeating() const { return is_repeating_; }

  const Mask<T>& active() const { return active_; }
  const Mask<T>& converged() const { return converged_; }
  const Mask<T>& failed() const { return failed_; }

  int iterations() const { return iterations_; }   ///< residuals taken
  const T& residual() const { return residual_; }  ///< r_k of the last iterate at which the lane ran

 private:
  void stop(Mask<T>& verdict, const Mask<T>& reached) {
    verdict = verdict | (active_ & reached);
    active_ = active_ & !reached;
  }

  // Whether an iterate whose value has converged has derivatives that have, too.
  Mask<T> has_tangents(const Mask<T>& reached) {
    if constexpr (is_dual<T>) {
      if (!reached || repeats_ == options_.tangent_repeats) return reached;
      ++repeats_;
      is_repeating_ = true;
      return false;
    } else {
      return reached;
    }
  }

  RoundingStopOptions options_;
  int iterations_ = 0, repeats_ = 0;
  bool is_repeating_ = false;
  Mask<T> active_ = true, converged_ = false, failed_ = false;
  T residual_ = infinity<T>(), previous_ = infinity<T>();
  T stalls_ = T(0), slow_ = T(0);
};

}  // namespace cotangent
