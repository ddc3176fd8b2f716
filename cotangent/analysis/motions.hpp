#pragma once

#include <span>

#include "cotangent/analysis/laws.hpp"
#include "cotangent/analysis/series.hpp"
#include "cotangent/analysis/trend.hpp"
#include "cotangent/analysis/walk.hpp"

namespace cotangent {

/// Motions of the mean and of the amplitude of a signal, in some part of a run.
///
/// Means M_k and amplitudes S_k of 16 windows are each fitted with the law that describes them best. s is the scatter
/// of M_k about its law, A the oscillation, D what the law rises by from the first window to the last.
///
///   The mean moves if   D > 20 s max(1, A/D)^(1/2),   D > 1e-3 A,   and D > 5 W where what is left is a random walk.
///
/// A sine of which the run sees less than 0.6 periods passes for a line if only D > 20 s is asked for. That is as it
/// should be where D > A, as there is nothing else; but a slow beat is a small part of an oscillation, and so what is
/// hidden under an oscillation must be the better a line the smaller it is: D/A = 1 % means less than 0.2 periods of a
/// beat.
///
/// As the means of an oscillation whose period is near a multiple of the distance of windows move slowly, 10 other
/// windows must show the same motion, half as clearly.
///
///   The oscillation grows if   S becomes three times as large, by more than 8 times the scatter of S_k, and not ever
///   slower, and the last quarter of the run has 1.5 times the range of the first.
class Motions {
 public:
  /// @param bins at least 32. @param level motions up to it are none.
  Motions(std::span<const SeriesBin> bins, double level);

  Trend trend() const;

  /// The law that the trend is taken from: that of the mean or that of the amplitude.
  const Law& deciding() const { return amplitude_decides() ? amplitude : mean; }
  bool amplitude_decides() const;

  double duration;
  Law mean, amplitude;
  Law line;  ///< of the mean, k = 1
  Walk walk;
  double first_amplitude = 0, last_amplitude = 0;  ///< of the first and the last window
  double inner = 0;                                ///< amplitude inside windows, rms
  double oscillation = 0;                          ///< A: with the scatter of means

 private:
  bool mean_moves() const;
  bool amplitude_grows() const;
  bool amplitude_falls() const;

  double level_;
  double walk_about_law_ = 0;
  Law control_;  // of means in other windows
  double first_range_ = 0, last_range_ = 0;
};

}  // namespace cotangent
