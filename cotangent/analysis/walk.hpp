#pragma once

#include <span>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// A random walk, as its motion at different scales shows it. Two laws must hold.
///
/// 1. M_L(c) is the mean of y about c with Hann's weights of half width L. In its second differences
///
///   V(L) = < (M_L(c + L) - 2 M_L(c) + M_L(c - L))^2 >
///
/// a line cancels, as in the Hadamard variance of clocks [riley08], and how V depends on L tells what y is:
///
///   oscillation of period much below L   V falls as L^-6
///   noise without memory                 V ~ 1/L
///   random walk                          V = c W^2 L/T,   W^2 the mean square of y(T) - y(0)
///   smooth motion                        V ~ L^4
///
/// with c = 0.7893, the integral of the square of what the weights add up to. V/L must be the same at all L from T/64 to
/// T/8, not less at L down to T/256 (a fast oscillation makes it larger there), and about the same in both halves of the run.
///
/// 2. What is left of a random walk when the line from its first to its last point is taken away has the expansion
///
///   y(t) - line = W sum_k z_k sqrt 2/(pi k) sin(pi k t/T)
///
/// with independent normal numbers z_k of variance 1 [loeve78]. An oscillation is a large z_k in few places and small ones
/// elsewhere. So z_k, k <= 32, must not be too large, too small or too much alike, nor their mean squares over
/// k = 1..4, 5..8, 9..16, 17..32 too different.
///
/// Besides, a walk reaches farther than 0.6 W and is rough: neighbouring bins differ by more than 0.5 W/sqrt(number of bins).
///
/// "The same" means up to what chance makes of a walk: the bounds are a little wider than what 10000 walks showed.
struct Walk {
  bool is_walk = false;
  double distance = 0;  ///< W, if it is a walk
};

/// Asks for at least 256 bins; with fewer it is never a walk.
Walk find_walk(std::span<const SeriesBin> bins);

}  // namespace cotangent
