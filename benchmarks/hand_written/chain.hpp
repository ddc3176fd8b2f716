// RATTLE for a chain of n unit masses linked by unit rods, the first one to the origin, by hand: the algorithm of the
// library, for one problem, with raw arrays and tridiagonal solves.
//
//   H = sum (px_i^2 + py_i^2) / 2 + y_i,    g_i = ((x_i - x_{i-1})^2 + (y_i - y_{i-1})^2 - 1) / 2,  x_0 = y_0 = 0
//
//   p' = p - h/2 e_y - G(q)' l,   Q = q + h p',   0 = g(Q)     Newton: tridiagonal, not symmetric
//   P  = p' - h/2 e_y - G(Q)' m,  0 = G(Q) P                   tridiagonal and symmetric
//
// The rounding level of g_i grows with the distance from the origin, since so do the coordinates: epsilon (1 + |x| +
// |y|).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace cotangent::hand_written {

class Chain {
 public:
  /// Stretched out horizontally, at rest.
  explicit Chain(std::size_t n) : n_(n) {
    for (auto* v : {&x, &y, &px, &py, &qx_, &qy_, &kx_, &ky_, &dx_, &dy_, &ex_, &ey_, &l_, &m_, &w_, &w_before_, &r_,
                    &inverse_, &upper_})
      v->assign(n + 2, 0.0);  // entry 0 is the anchor, entry n + 1 a rod without tension
    for (std::size_t i = 1; i <= n; ++i) x[i] = static_cast<double>(i);
    rods(x, y, dx_, dy_);
  }

  /// @return whether every step converged.
  bool advance(double h, long steps) {
    for (long step = 0; step < steps; ++step)
      if (!advance_once(h)) return false;
    return true;
  }

  double energy() const {
    double e = 0;
    for (std::size_t i = 1; i <= n_; ++i) e += (px[i] * px[i] + py[i] * py[i]) / 2 + y[i];
    return e;
  }

  std::vector<double> x, y, px, py;

 private:
  void rods(const std::vector<double>& qx, const std::vector<double>& qy, std::vector<double>& dx,
            std::vector<double>& dy) const {
    for (std::size_t i = 1; i <= n_; ++i) {
      dx[i] = qx[i] - qx[i - 1];
      dy[i] = qy[i] - qy[i - 1];
    }
  }

  // From l: k = p', q = Q, e = rods at Q, r = g(Q). Returns whether g is at its rounding level.
  bool drift(double h) {
    for (std::size_t i = 1; i <= n_; ++i) {
      kx_[i] = px[i] - (l_[i] * dx_[i] - l_[i + 1] * dx_[i + 1]);
      ky_[i] = py[i] - h / 2 - (l_[i] * dy_[i] - l_[i + 1] * dy_[i + 1]);
      qx_[i] = x[i] + h * kx_[i];
      qy_[i] = y[i] + h * ky_[i];
    }
    rods(qx_, qy_, ex_, ey_);
    double worst = 0;
    for (std::size_t i = 1; i <= n_; ++i) {
      r_[i] = (ex_[i] * ex_[i] + ey_[i] * ey_[i] - 1) / 2;
      worst = std::max(worst, std::abs(r_[i]) - 2 * kEpsilon * (1 + std::abs(qx_[i]) + std::abs(qy_[i])));
    }
    return worst <= 0;
  }

  // Solves the tridiagonal system with rows (-a_i.b_{i-1}, s_i a_i.b_i, -a_i.b_{i+1}), s = 1 at the anchor and 2
  // elsewhere, right-hand side r_ and solution in r_: Gaussian elimination downwards, then back.
  void solve(const std::vector<double>& ax, const std::vector<double>& ay, const std::vector<double>& bx,
             const std::vector<double>& by) {
    double previous = 0;
    for (std::size_t i = 1; i <= n_; ++i) {
      const double lower = i > 1 ? -(ax[i] * bx[i - 1] + ay[i] * by[i - 1]) : 0;
      const double diagonal = (i > 1 ? 2 : 1) * (ax[i] * bx[i] + ay[i] * by[i]);
      upper_[i] = i < n_ ? -(ax[i] * bx[i + 1] + ay[i] * by[i + 1]) : 0;
      inverse_[i] = 1 / (diagonal - lower * previous);
      previous = upper_[i] * inverse_[i];
      upper_[i] = previous;
      r_[i] = (r_[i] - lower * r_[i - 1]) * inverse_[i];
    }
    for (std::size_t i = n_ - 1; i >= 1; --i) r_[i] -= upper_[i] * r_[i + 1];
  }

  bool advance_once(double h) {
    for (std::size_t i = 1; i <= n_; ++i) l_[i] = m_[i] + (2 * w_[i] - w_before_[i]);
    bool converged = drift(h);
    for (int iteration = 0; !converged && iteration < 20; ++iteration) {
      r_[0] = 0;
      solve(ex_, ey_, dx_, dy_);
      for (std::size_t i = 1; i <= n_; ++i) l_[i] += r_[i] / h;
      converged = drift(h);
    }
    if (!converged) return false;
    std::swap(w_, w_before_);
    for (std::size_t i = 1; i <= n_; ++i) w_[i] = l_[i] - m_[i];

    for (std::size_t i = 1; i <= n_; ++i) ky_[i] -= h / 2;
    for (std::size_t i = 1; i <= n_; ++i) r_[i] = ex_[i] * (kx_[i] - kx_[i - 1]) + ey_[i] * (ky_[i] - ky_[i - 1]);
    r_[0] = 0;
    solve(ex_, ey_, ex_, ey_);
    for (std::size_t i = 1; i <= n_; ++i) m_[i] = r_[i];
    m_[n_ + 1] = 0;
    for (std::size_t i = 1; i <= n_; ++i) {
      px[i] = kx_[i] - (m_[i] * ex_[i] - m_[i + 1] * ex_[i + 1]);
      py[i] = ky_[i] - (m_[i] * ey_[i] - m_[i + 1] * ey_[i + 1]);
    }
    std::swap(x, qx_);
    std::swap(y, qy_);
    std::swap(dx_, ex_);
    std::swap(dy_, ey_);
    return true;
  }

  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  std::size_t n_;
  std::vector<double> qx_, qy_, kx_, ky_, dx_, dy_, ex_, ey_;
  std::vector<double> l_, m_, w_, w_before_, r_, inverse_, upper_;
};

}  // namespace cotangent::hand_written
