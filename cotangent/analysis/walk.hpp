#pragma once

#include <span>
#include <vector>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// A random walk, as the motion of means shows it.
///
/// M_L(c) is the mean of y about c with Hann's weights of half width L. In its second differences
///
///   V(L) = < (M_L(c + L) - 2 M_L(c) + M_L(c - L))^2 >
///
/// a line cancels (the Hadamard variance of clocks [riley08]), and how V depends on L tells what y is:
///
///   oscillation of period much below L   V falls as L^-6
///   noise without memory                 V ~ 1/L
///   random walk                          V = c w^2 L,  w^2 = d<y^2>/dt
///   smooth motion                        V ~ L^4
///
/// for walks c = 0.7893, the square integral of the sum of the weights. y is a walk if V/(c L) is the same at all lengths
/// from 1/64 to 1/8 of the run, up to what few differences leave to chance.
struct Walk {
  bool is_walk = false;
  double distance = 0;  ///< w sqrt T: rms distance covered in the run, if it is a walk
  double exponent = 0;  ///< d ln V/d ln L
};

/// Asks for at least 128 bins; with fewer it is never a walk.
Walk find_walk(std::span<const SeriesBin> bins);

}  // namespace cotangent
