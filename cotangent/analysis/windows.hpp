#pragma once

#include <span>
#include <vector>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// What a signal is about some time.
struct Window {
  double t = 0;          ///< time since the start
  double mean = 0;       ///< of y - y(0), with weights that forget oscillations
  double amplitude = 0;  ///< sqrt 2 times the rms of y about its line: the amplitude of an oscillation
};

/// The mean of y about the place `centre`, counted in bins, with the weights of Hann,
///
///   w(x) = 1 + cos(pi x),  x = (place - centre)/half in [-1, 1].
///
/// Of an oscillation with d periods in the window there remains about 1/d^3, instead of the 1/d of a plain mean.
Window hann_mean(std::span<const SeriesBin> bins, double centre, double half);

/// `count` windows, evenly over the run. Means overlap by half; amplitudes are those of parts that do not.
std::vector<Window> windows(std::span<const SeriesBin> bins, int count);

}  // namespace cotangent
