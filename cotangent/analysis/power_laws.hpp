#pragma once

#include <span>
#include <vector>

namespace cotangent {

/// The envelope at the end of one part of a run.
struct EnvelopePoint {
  double t = 0;      ///< time since the start
  double value = 0;  ///< largest |y - reference| in that part
};

/// The power k that points (t_i, E_i) grow with in the long run, whatever they did before, and its standard error.
///
/// A power of t is rarely all there is: errors begin late, come out of an oscillation, or have lower powers beside the
/// one that wins. Five laws are fitted,
///
///   c t^k,   A + c t^k,   c (t - t0)^k,   A + c max(t - t0, 0)^k,   A t^j + c t^k with j <= k - 0.4,
///
/// with A, c >= 0, the last term the larger one at the last point (five times, where k - j < 1), as far as there are
/// two points more than parameters. Which of them is true is not known; so none is chosen, but all are averaged
/// [burnham02]. With the mean square s^2 of the deviations of ln E from a law of p - 1 parameters, and N independent
/// points,
///
///   w ~ exp(-AICc/2),   AICc = N ln(s^2 + 0.02^2) + 2 p + 2 p (p + 1)/(n - p - 1),
///   k = sum w_M k_M,    error^2 = 0.01^2 + sum w_M (v_M + (k_M - k)^2):
///
/// where the laws disagree and the points do not decide, the error says so. Deviations of some hundredths decide
/// nothing, as envelopes of oscillations have them anyhow. v_M has two parts: the jackknife, that is the spread of the
/// k that leave out one point each (to first order in the residuals), and the square of the change of k if the second
/// half of the points alone is fitted, with the same A, j and t0. It is no more than 1. As c, k, A and j together
/// describe almost anything, the weight of that law is divided by (1 + 1000 v_M)^(1/2): one whose k is not determined
/// does not count.
struct PowerFit {
  double exponent = 0, error = 0;  ///< k
  double scatter = 0;              ///< rms deviation of ln E from the law of the largest weight
};

/// @param points at least five, from early to late, E > 0.
/// @param independent N/n: less than 1 where the parts of neighbouring points overlap.
PowerFit fit_powers(std::span<const EnvelopePoint> points, double independent);

}  // namespace cotangent
