#include "cotangent/analysis/laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace cotangent {
namespace {

// y = a + b f by least squares, f made by `shape` from t/T in [0, 1] and rising from 0 to 1 there.
template <class Shape>
Law fit(std::span<const double> t, std::span<const double> y, double end, int parameters, const Shape& shape) {
  const double n = static_cast<double>(t.size());
  double f_mean = 0, y_mean = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    f_mean += shape(t[i] / end) / n;
    y_mean += y[i] / n;
  }
  double ff = 0, fy = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double df = shape(t[i] / end) - f_mean;
    ff += df * df;
    fy += df * (y[i] - y_mean);
  }
  Law law;
  law.end = end;
  law.b = ff > 0 ? fy / ff : 0;
  law.a = y_mean - law.b * f_mean;
  law.first = law.a + law.b * shape(t.front() / end);
  law.last = law.a + law.b * shape(t.back() / end);
  double squares = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double rest = y[i] - law.a - law.b * shape(t[i] / end);
    squares += rest * rest;
  }
  law.scatter = std::sqrt(squares / std::max(1., n - parameters));
  law.error = ff > 0 ? law.scatter / std::sqrt(ff) : 0;
  return law;
}

// The parameter in [low, high] of least scatter: first on a grid, then by sections.
template <class Fit>
double best(double low, double high, int steps, const Fit& scatter_at) {
  double x = low, least = std::numeric_limits<double>::infinity();
  const double width = (high - low) / steps;
  for (int i = 0; i <= steps; ++i) {
    const double at = low + i * width, scatter = scatter_at(at);
    if (scatter < least) {
      least = scatter;
      x = at;
    }
  }
  double left = std::max(low, x - width), right = std::min(high, x + width);
  for (int i = 0; i < 16; ++i) {
    const double p = left + 0.4 * (right - left), q = left + 0.6 * (right - left);
    if (scatter_at(p) < scatter_at(q)) {
      right = q;
    } else {
      left = p;
    }
  }
  return (left + right) / 2;
}

double power_shape(double k, double x) { return std::pow(x, k); }

// expm1 keeps the digits of a shape that is nearly a line.
double exponential_shape(double rate, double x) { return std::expm1(rate * x) / std::expm1(rate); }

}  // namespace

double Law::operator()(double t) const {
  return a + b * (is_exponential ? exponential_shape(rate * end, t / end) : power_shape(power, t / end));
}

Law fit_power(std::span<const double> t, std::span<const double> y, double end, double fixed) {
  const auto at = [&](double k) {
    return fit(t, y, end, fixed > 0 ? 2 : 3, [k](double x) { return power_shape(k, x); });
  };
  const double k = fixed > 0 ? fixed : best(0.25, 5, 19, [&](double exponent) { return at(exponent).scatter; });
  Law law = at(k);
  law.power = k;
  law.steepness = std::pow(t.back() / t.front(), k - 1);
  return law;
}

Law fit_exponential(std::span<const double> t, std::span<const double> y, double end) {
  const auto at = [&](double rate) {
    if (std::abs(rate) < 1e-6) rate = 1e-6;
    return fit(t, y, end, 3, [rate](double x) { return exponential_shape(rate, x); });
  };
  // The grid is finer for small rates, where the shapes differ more: rate = 16 s^3.
  const auto rate_of = [](double s) { return 16 * s * s * s; };
  const double rate = rate_of(best(-1, 1, 40, [&](double s) { return at(rate_of(s)).scatter; }));
  Law law = at(rate);
  law.is_exponential = true;
  law.rate = rate / end;
  law.steepness = std::exp(law.rate * (t.back() - t.front()));
  return law;
}

}  // namespace cotangent
