// Lorenz 96 by hand, with the classical Runge-Kutta method as the library makes it: raw arrays, and a compensated sum
// at the end of a step.
//
//   x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F,   indices modulo N
#pragma once

#include <cstddef>
#include <vector>

namespace cotangent::hand_written {

class Lorenz96 {
 public:
  explicit Lorenz96(std::size_t n) : x(n, 8.0), low_(n, 0.0), y_(n), k1_(n), k2_(n), k3_(n), k4_(n) { x[0] = 8.01; }

  void advance(double h, long steps) {
    for (long step = 0; step < steps; ++step) {
      rate(x, k1_);
      move(h / 2, k1_);
      rate(y_, k2_);
      move(h / 2, k2_);
      rate(y_, k3_);
      move(h, k3_);
      rate(y_, k4_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = h / 6 * (k1_[i] + 2 * k2_[i] + 2 * k3_[i] + k4_[i]) + low_[i];
        const double sum = x[i] + d;
        low_[i] = d - (sum - x[i]);
        x[i] = sum;
      }
    }
  }

  std::vector<double> x;

 private:
  using Vector = std::vector<double>;

  static void rate(const Vector& x, Vector& f) {
    constexpr double F = 8;
    const std::size_t n = x.size();
    f[0] = (x[1] - x[n - 2]) * x[n - 1] - x[0] + F;
    f[1] = (x[2] - x[n - 1]) * x[0] - x[1] + F;
    for (std::size_t i = 2; i + 1 < n; ++i) f[i] = (x[i + 1] - x[i - 2]) * x[i - 1] - x[i] + F;
    f[n - 1] = (x[0] - x[n - 3]) * x[n - 2] - x[n - 1] + F;
  }

  void move(double h, const Vector& k) {
    for (std::size_t i = 0; i < x.size(); ++i) y_[i] = x[i] + h * k[i];
  }

  Vector low_, y_, k1_, k2_, k3_, k4_;
};

}  // namespace cotangent::hand_written
