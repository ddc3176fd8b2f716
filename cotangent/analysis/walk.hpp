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
/// with c = 0.7893, the integral of the square of what the weights add up to. V/L must be the same at all L from T/64
/// to T/8, not less at L down to T/256 (a fast oscillation makes it larger there), and about the same in both halves of
/// the run.
///
/// 2. The spectrum of a walk falls as k^-2 and has no lines: with Hann's window, the coefficients X_k of k cycles in
/// the run,
///
///   u_k = (4 pi^2/1.5) k^2 |X_k|^2,   k = 1..32,
///
/// scatter about W^2 as squares of random numbers do, and their geometric mean is 0.58 of their mean. Where few
/// oscillations make up y, most of the u_k are smaller by orders of magnitude: 0.02 for sums of five that satisfy 1.
/// Where y is a walk at short scales but is always called back, as noise with a memory is, u_k ~ k^2/(k^2 + c^2): that
/// must not be likelier than that they are all the same, by more than 7.5 in the logarithm (seen in 1 of 2000 walks).
///
/// Besides, a walk reaches farther than 0.6 W and is rough: neighbouring bins differ by more than 0.5 W/sqrt(number of
/// bins).
///
/// "The same" means up to what chance makes of a walk: the bounds are 1.2 times what 10000 walks showed.
struct Walk {
  bool is_walk = false;
  double distance = 0;  ///< W, if it is a walk
};

/// Asks for at least 256 bins; with fewer it is never a walk.
Walk find_walk(std::span<const SeriesBin> bins);

}  // namespace cotangent
