#pragma once

#include <span>
#include <vector>

#include "cotangent/analysis/series.hpp"

namespace cotangent {

/// max |y - y_ref| up to the end of each bin. @param reference y_ref - y(0).
std::vector<double> running_maximum(std::span<const SeriesBin> bins, double reference);

/// The first index at which `rising` reaches `value`.
std::size_t first_reaching(std::span<const double> rising, double value);

/// Exponential growth over orders of magnitude, in E(t) = max of |y - y_ref| up to t.
///
/// Let t_b be when E has become three times its first value, and t_e when it reaches a quarter of its last. The law t^k
/// is the same at all scales, so that neither a start nor an end that are cut off make an exponential of it; and
/// saturation, which comes after t_e, does not hide one. In between ln E is fitted with a + gamma t and with a + k ln
/// t. Growth is exponential if
///
///   in the second half of this time E grows as a power k > 4.5: errors of methods grow with powers up to 3;
///   deviations of ln E from the first law are smaller than those from the second, by 0.7 in the mean square, or k > 6;
///   they are less than a seventh of what ln E rises by;
///   and y does not come to rest after t_e: in four times the time D from t_b to t_e it never stays within a range of
///   E(t_e)/3 for 3/4 D. An oscillation with sharp peaks does that between its peaks, the first of which looks like
///   exponential growth; and so do stairs, which the energy climbs in an eccentric orbit if the method loses some in
///   each.
///
/// So E(t_e)/E(t_b) is at least about 500. Slower exponentials are seen in means and amplitudes (laws.hpp).
struct ExponentialGrowth {
  bool is_found = false;
  double rate = 0;             ///< gamma
  double factor = 0;           ///< E(t_e)/E(t_b)
  double from = 0, until = 0;  ///< t_b and t_e, since the start
  bool is_saturated = false;   ///< The law promises ten times what E was at the end,
  double saturated_from = 0;   ///< and E had 70 % of that at this time.
};

/// @param level growth below it is not looked at.
ExponentialGrowth find_exponential(std::span<const SeriesBin> bins, double reference, double level);

}  // namespace cotangent
