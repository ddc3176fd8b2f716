#pragma once

#include <optional>
#include <vector>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

struct GrowthOptions {
  double level = 0;                      ///< Rounding level of y: an envelope below it says nothing.
  std::optional<double> reference = {};  ///< What deviations are measured from; y(0) if not given. For residuals: 0.
};

/// The envelope at the end of one part of the run.
struct EnvelopePoint {
  double t = 0;      ///< time since the start
  double value = 0;  ///< largest |y - reference| between the previous point and this one
};

struct Growth {
  /// k of the envelope c t^k and the standard error of k. NaN where nothing can be said: all values at the rounding
  /// level, or too few points.
  double exponent = 0, error = 0;
  double factor = 0;           ///< c
  double offset = 0;           ///< A, where the envelope is A + c t^k: an oscillation that the growth came out of
  double from = 0, until = 0;  ///< times since the start between which k was fitted
  bool saturated = false;      ///< Growth stopped before the end; a bounded signal is saturated with k = 0.
  double saturated_from = 0;   ///< since then, if saturated
  bool at_level = false;       ///< |y - reference| never exceeds the level.
  double largest = 0;          ///< max |y - reference|
  std::vector<EnvelopePoint> envelope;  ///< what was fitted to, from early to late

  bool is_known() const { return exponent == exponent; }
};

/// Fits max |y - y_ref| ~ c t^k.
///
/// The run is divided at T/2^(j/2), j = 0, 1, ...: as t^k looks the same at all scales, each part [t/sqrt 2, t] has the
/// same weight, and holds the more periods of an oscillation the later it is. E_j is the largest |y - y_ref| of a part.
/// What grows and oscillates follows its law after a few periods only: the first t_j is that of the eighth turn of y
/// (turns.hpp), and where this leaves less than five parts they are nearer to each other and overlap. A run that is
/// less than twice as long says nothing.
///
/// ln E_j is fitted with ln c + k ln t_j; where an oscillation of constant size hides the growth at first, that is
/// where it makes the residuals much smaller, with ln(A + c t_j^k).
///
/// E_j are not independent and their deviations from the law not random (phases of oscillations, lower powers of t). So
/// the error of k is not that of regression but has two parts, added in squares: the jackknife, that is the spread of
/// the k that leave out one E_j each, and the difference between the k of all and of the second half of the points. If
/// that is more than 1/4 the law is not reached at first, and k is that of the second half. Points that deviate from
/// their law by more than e^(1/2), rms, do not follow a power.
///
/// Saturation: let t_s be the time at which 70 % of the largest value are reached, and fit up to there. If that law
/// promises more than three times what was reached by T, growth has stopped.
Growth fit_growth(const Series& series, const GrowthOptions& options = {});

}  // namespace cotangent
