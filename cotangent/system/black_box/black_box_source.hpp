#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/model/black_box.hpp"
#include "cotangent/system/operation/operation.hpp"

namespace cotangent {

/// Directional derivatives of a vector function f(x) by central differences, (f(x + s a) - f(x - s a)) / 2s.
///
/// With u = the change of x, in units of the scales over which f varies, the error is about u^2 from the curvature of
/// f' and epsilon / u from rounding. Two steps are made: a short one, u = epsilon^(1/3), where both are balanced, and a
/// long one, u = 1/16, where rounding is negligible. A component whose two values agree as well as rounding of the
/// short one permits is linear as far as can be seen and takes the long one, which is exact for it but for rounding.
class CentralDifference {
 public:
  static constexpr double kLong = 0.0625;

  /// @param numbers how many f has.
  explicit CentralDifference(std::size_t numbers)
      : plus_(numbers), minus_(numbers), long_plus_(numbers), long_minus_(numbers) {}

  /// @param f called as f(s, out): the function at x + s a.
  /// @param size the largest component of a, in scales.
  /// @param place the largest component of x, in scales.
  template <class Function>
  void operator()(const Function& f, double size, double place, double* out) {
    if (size < std::numeric_limits<double>::min() / kLong) {
      std::fill_n(out, plus_.size(), 0.0);
      return;
    }
    const double magnitude = std::max(1.0, place);
    const double s = power_of_two(std::cbrt(epsilon<double>() * magnitude) / size);
    const double s_long = std::max(s, power_of_two(kLong / size));
    f(s, plus_.data());
    f(-s, minus_.data());
    f(s_long, long_plus_.data());
    f(-s_long, long_minus_.data());
    double value = 0, derivative = 0;
    for (std::size_t i = 0; i < plus_.size(); ++i) {
      value = std::max(value, std::max(std::abs(plus_[i]), std::abs(minus_[i])));
      derivative = std::max(derivative, std::abs(plus_[i] - minus_[i]) / (2 * s));
    }
    // f is known to epsilon times itself and what rounding x changes in it.
    const double noise = 4 * epsilon<double>() * (value + derivative * magnitude / size) / s;
    for (std::size_t i = 0; i < plus_.size(); ++i) {
      const double by_short = (plus_[i] - minus_[i]) / (2 * s);
      const double by_long = (long_plus_[i] - long_minus_[i]) / (2 * s_long);
      out[i] = std::abs(by_short - by_long) <= noise ? by_long : by_short;
    }
  }

 private:
  // Multiplying and dividing by s is exact.
  static double power_of_two(double x) { return std::isfinite(x) ? std::exp2(std::floor(std::log2(x))) : x; }

  std::vector<double> plus_, minus_, long_plus_, long_minus_;
};

/// The operations of a black box: its functions where they are given, differences of them otherwise.
///
/// Implicit methods go back and forth between two points, and products with G are asked for one after the other: the
/// values of G at the last points are kept.
class BlackBoxSource final : public OperationSource<double> {
 public:
  /// @pre elements.declared
  explicit BlackBoxSource(const Elements& elements);

  std::unique_ptr<Operation<double>> make(const Contraction& contraction) override;
  void G(const double* q, const double& t, double* values) override;

 private:
  using Place = BlackBox::Place;

  /// Where functions are evaluated, and a direction: parts that are null, or zero, do not change.
  struct Line {
    const double *q, *p;
    double t;
    const double *a = nullptr, *b = nullptr;
    double dt = 0;
  };
  struct Point {
    bool known = false;
    std::uint64_t used = 0;
    double t = 0;
    std::vector<double> q, G;
  };

  Line line(const Frame<double>& frame, const Contraction::Direction& direction) const;
  double H_along(const Line& line);
  void gradient_along(Line line, bool by_p, double* out);
  void g_at(const Line& line, bool along, double* out);
  void g_second(const Line& line, const double* b, double* out);
  void G_along(const Line& line, double* values);
  void find_norms(const Line& line, bool along, const double* rows, double* out);

  const std::vector<double>& G_at(const double* q, double t);
  void add_product(const std::vector<double>& G, const double* x, double* rows) const;
  void add_transposed_product(const std::vector<double>& G, const double* u, double* x) const;
  template <class Function>
  void difference(const Function& f, const Line& line, CentralDifference& rule, double* out);

  std::shared_ptr<const BlackBox> functions_;
  const BlackBox& box_;
  std::vector<Place> places_;  // of the values of G
  std::array<Point, 3> points_;
  std::uint64_t clock_ = 0;
  std::vector<double> zero_, x_, y_, part_, rows_, scales_, dG_;
  CentralDifference of_gradient_, of_rows_, of_G_;
};

}  // namespace cotangent
