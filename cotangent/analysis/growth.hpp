#pragma once

#include <optional>
#include <vector>

#include "cotangent/analysis/power_laws.hpp"
#include "cotangent/analysis/series.hpp"

namespace cotangent {

struct GrowthOptions {
  double level = 0;                      ///< Rounding level of y: an envelope below it says nothing.
  std::optional<double> reference = {};  ///< What deviations are measured from; y(0) if not given. For residuals: 0.
};

struct Growth {
  /// k of the envelope, c t^k in the long run, and the standard error of k. NaN where nothing can be said: all values
  /// at the rounding level, or too few points.
  double exponent = 0, error = 0;
  double from = 0, until = 0;           ///< times since the start between which k was fitted
  bool saturated = false;               ///< Growth stopped before the end; a bounded signal is saturated with k = 0.
  double saturated_from = 0;            ///< since then, if saturated
  bool at_level = false;                ///< |y - reference| never exceeds the level.
  double largest = 0;                   ///< max |y - reference|
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
/// k and its error are those of fit_powers(): E_j may begin late, come out of an oscillation of constant size, or have
/// a lower power beside the one that wins. E_j that deviate from their law by more than e^(1/2), rms, do not follow a
/// power.
///
/// Saturation: let t_s be the time at which 70 % of the largest value are reached, and fit up to there. If that law
/// promises more than three times what was reached by T, growth has stopped.
Growth fit_growth(const Series& series, const GrowthOptions& options = {});

}  // namespace cotangent
