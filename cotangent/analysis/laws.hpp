#pragma once

#include <span>

namespace cotangent {

/// One of the laws a + b f(t), 0 <= t <= T, fitted to points by least squares.
///
///   power         f(t) = (t/T)^k,         k from 1/4 to 5
///   exponential   f(t) = exp(gamma t),    gamma T from -16 to 16
///
/// Powers and rates beyond would describe the first or the last of 16 points only.
struct Law {
  double end = 1;  ///< T
  bool is_exponential = false;
  double power = 1;            ///< k
  double rate = 0;             ///< gamma
  double a = 0, b = 0;         ///< b is for f scaled to rise from 0 to 1 over the run
  double scatter = 0;          ///< standard deviation of the points about the law
  double error = 0;            ///< standard error of b, if the points are independent
  double steepness = 1;        ///< slope at the last point over the slope at the first
  double first = 0, last = 0;  ///< values of the law at the first and the last point

  double seen() const { return last - first; }

  /// Value of the law at t.
  double operator()(double t) const;
};

/// The power law that fits (t_i, y_i) best. @param end T. @param fixed if positive, the only k to be tried.
Law fit_power(std::span<const double> t, std::span<const double> y, double end, double fixed = 0);

/// The exponential that fits best.
Law fit_exponential(std::span<const double> t, std::span<const double> y, double end);

}  // namespace cotangent
