#pragma once

#include <limits>

namespace cotangent {

/// k of |y| ~ c t^k with its standard error, and the times since the start between which it was fitted.
struct Growth {
  double exponent = std::numeric_limits<double>::quiet_NaN(), error = exponent;  ///< no numbers where k is not known
  double from = 0, until = 0;

  bool is_known() const { return exponent == exponent; }
};

}  // namespace cotangent
