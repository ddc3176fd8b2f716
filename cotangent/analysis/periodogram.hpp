#pragma once

#include <span>
#include <vector>

namespace cotangent {

struct PeriodogramOptions {
  bool hann = false;      ///< Window of Hann: side lobes fall as d^-6 instead of d^-2, lines are twice as wide.
  int most_peaks = 8;     ///< How many peaks are told at most.
  double weakest = 1e-6;  ///< Peaks below this times the power of the strongest are not told.
};

struct SpectralPeak {
  double frequency = 0;  ///< cycles per unit of time
  double amplitude = 0;  ///< of the oscillation a cos(2 pi f t + phi)
  double power = 0;      ///< a^2/2
  double width = 0;      ///< full width at half maximum, in the unit of the frequency
};

struct Periodogram {
  double resolution = 0;      ///< 1/(N dt): lines that are nearer to each other than this are not separated
  double line_width = 0;      ///< width that a line of no width has here: 0.886 resolution, with Hann's window 1.441
  double spacing = 0;         ///< of the frequencies j * spacing, j = 0, 1, ..., at which
  std::vector<double> power;  ///< the power is given, up to the frequency 1/(2 dt)
  std::vector<SpectralPeak> peaks;  ///< strongest first

  double frequency(std::size_t j) const { return static_cast<double>(j) * spacing; }
};

/// Power of y_n = y(n dt), n = 0..N-1, by frequency:
///
///   P(f) = 2 |X(f)|^2 / N^2,   X(f) = sum_n w_n (y_n - mean) exp(-2 pi i f n dt),   mean = sum_n w_n y_n / N,
///
/// w_n = 1, or Hann's window 1 - cos(2 pi (n + 1/2)/N) [harris78], whose mean is 1. So an oscillation a cos(2 pi f t)
/// has the power a^2/2 at its frequency, whatever the window and N.
///
/// The samples are padded with zeros to at least 4 N, so that every line is seen at some frequency near its top; there
/// a parabola through the logarithms of three powers gives frequency and height.
///
/// A line of power P has side lobes of power up to P/(pi d)^2 at the distance d/(N dt), with Hann's window P/(pi d (d^2
/// - 1))^2. A maximum is called a peak only if it is larger than four times what the side lobes of all stronger peaks
/// may add up to, and if the power falls to half of it on both sides: the line of a motion that dies out is wide, and
/// has ripples.
///
/// @param samples finite; with fewer than four the result is empty. For steps that vary, resample first.
Periodogram periodogram(double dt, std::span<const double> samples, const PeriodogramOptions& options = {});

}  // namespace cotangent
