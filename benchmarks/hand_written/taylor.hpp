// Constrained Taylor methods by hand, for the pendulum and the chain, with a projection after every step.
//
// Coefficients of q' = v, v' = F - G' lambda in powers of t, order by order. With rods d_i = q_i - q_{i-1} and their
// rates w_i, A = G G' is a polynomial in t, too, and every order of lambda solves a system with the same A_0:
//
//   A_0 lambda_k = sum_j w_j.w_{k-j} + (d.F)_k - sum_{j>0} A_j lambda_{k-j}
//   q_{k+1} = v_k / (k+1),   v_{k+1} = (F_k - sum_j G_j' lambda_{k-j}) / (k+1)
//
// A step ends where the last two coefficients, against the size s of the first one, say that the rest of the series is
// below rounding [jorba-zou05]:  h = e^-2 min((s / |z_{K-1}|)^(1/(K-1)), (s / |z_K|)^(1/K)) exp(-0.7 / (K-1)).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cotangent::hand_written {

/// The order that suits a tolerance, where orders cost their square.
inline int taylor_order(double tolerance) { return static_cast<int>(std::ceil(1 - std::log(tolerance) / 2)); }

inline double taylor_step(int K, double first, double last_but_one, double last) {
  const double s = std::max(1.0, first);
  const double a = std::log(s / last_but_one) / (K - 1), b = std::log(s / last) / K;
  return std::exp(std::min(a, b) - 2 - 0.7 / (K - 1));
}

/// For |q| = 1, where lambda = |v|^2 - y, to the order K.
template <int K>
void advance_pendulum(std::array<double, 4>& z, double end) {
  double x[K + 1], y[K + 1], u[K + 1], v[K + 1], lambda[K];
  x[0] = z[0], y[0] = z[1], u[0] = z[2], v[0] = z[3];
  for (double t = 0; t < end;) {
#pragma GCC unroll 32
    for (int k = 0; k < K; ++k) {
      double squares = 0, a = 0, b = 0;
      for (int j = 0; j <= k; ++j) squares += u[j] * u[k - j] + v[j] * v[k - j];
      lambda[k] = squares - y[k];
      for (int j = 0; j <= k; ++j) {
        a += lambda[j] * x[k - j];
        b += lambda[j] * y[k - j];
      }
      const double part = 1.0 / (k + 1);
      x[k + 1] = u[k] * part;
      y[k + 1] = v[k] * part;
      u[k + 1] = -a * part;
      v[k + 1] = -(k == 0 ? b + 1 : b) * part;
    }
    const auto size = [&](int k) {
      return std::max(std::max(std::abs(x[k]), std::abs(y[k])), std::max(std::abs(u[k]), std::abs(v[k])));
    };
    const double h = std::min(end - t, taylor_step(K, size(0), size(K - 1), size(K)));
    double X = x[K], Y = y[K], U = u[K], V = v[K];
    for (int k = K - 1; k >= 0; --k) {
      X = X * h + x[k];
      Y = Y * h + y[k];
      U = U * h + u[k];
      V = V * h + v[k];
    }
    // The nearest point, to first order: corrections are smaller than the root of epsilon.
    const double g = (X * X + Y * Y - 1) / 2;
    x[0] = X - g * X;
    y[0] = Y - g * Y;
    const double along = x[0] * U + y[0] * V;
    u[0] = U - along * x[0];
    v[0] = V - along * y[0];
    t += h;
  }
  z = {x[0], y[0], u[0], v[0]};
}

/// A chain of N unit masses, hanging from the origin.
class TaylorChain {
 public:
  TaylorChain(std::size_t N, int K) : N_(N), K_(K), row_(round_up(N) + 2 * kLanes) {
    for (auto* part : {&x_, &y_, &u_, &v_, &dx_, &dy_, &wx_, &wy_, &a_, &b_, &lambda_})
      part->assign(row_ * static_cast<std::size_t>(K + 1), 0.0);
    for (auto* part : {&r_, &pivot_, &factor_, &tx_, &ty_}) part->assign(row_, 0.0);
  }

  /// @param z (x_1 .. x_N, y_1 .. y_N, and their rates). @param project moves z to the constraints.
  template <class Project>
  void advance(double* z, double end, const Project& project) {
    for (double t = 0; t < end;) {
      take(z);
      for (int k = 0; k < K_; ++k) find(k);
      const double h = std::min(end - t, taylor_step(K_, size(0), size(K_ - 1), size(K_)));
      sum(h, z);
      project(z);
      t += h;
    }
  }

 private:
  // Inner loops over so many links at once stay in registers while orders are added up.
  static constexpr std::size_t kLanes = 8;
  using Row = std::vector<double>;

  static std::size_t round_up(std::size_t N) { return (N + kLanes - 1) / kLanes * kLanes; }
  // Link i of the coefficient k; link -1 and those after the last are zero.
  double* at(Row& x, int k) { return x.data() + static_cast<std::size_t>(k) * row_ + kLanes; }

  void take(const double* z) {
    for (Row* part : {&x_, &y_, &u_, &v_}) {
      std::copy(z, z + N_, at(*part, 0));
      z += N_;
    }
  }

  void subtract(Row& from, int k, Row& to) {
    const double* x = at(from, k);
    double* d = at(to, k);
    d[0] = x[0];
    for (std::size_t i = 1; i < N_; ++i) d[i] = x[i] - x[i - 1];
  }

  // sums[l] += a[i + l] b[i + l + shift]
  static void add_products(double* sums, const double* a, const double* b, std::ptrdiff_t shift) {
    for (std::size_t l = 0; l < kLanes; ++l) sums[l] += a[l] * b[static_cast<std::ptrdiff_t>(l) + shift];
  }

  // The diagonal of A_k, what stands left of it, and the right-hand side for lambda_k, of links i .. i + kLanes - 1.
  void find_rows(int k, std::size_t i) {
    double a[kLanes] = {}, b[kLanes] = {}, r[kLanes] = {};
    for (int j = 0; j <= k; ++j) {
      const double *dx = at(dx_, j) + i, *dy = at(dy_, j) + i, *ex = at(dx_, k - j) + i, *ey = at(dy_, k - j) + i;
      add_products(a, dx, ex, 0);
      add_products(a, dy, ey, 0);
      add_products(b, dx, ex, -1);
      add_products(b, dy, ey, -1);
      add_products(r, at(wx_, j) + i, at(wx_, k - j) + i, 0);
      add_products(r, at(wy_, j) + i, at(wy_, k - j) + i, 0);
    }
    double *of_a = at(a_, k) + i, *of_b = at(b_, k) + i, *of_r = r_.data() + kLanes + i;
    for (std::size_t l = 0; l < kLanes; ++l) {
      of_a[l] = 2 * a[l];
      of_b[l] = -b[l];
      of_r[l] = r[l];
    }
  }

  void subtract_known(int k, std::size_t i) {
    double r[kLanes] = {};
    for (int j = 1; j <= k; ++j) {
      const double *a = at(a_, j) + i, *b = at(b_, j) + i, *lambda = at(lambda_, k - j) + i;
      add_products(r, a, lambda, 0);
      add_products(r, b, lambda, -1);
      add_products(r, b + 1, lambda + 1, 0);
    }
    double* of_r = r_.data() + kLanes + i;
    for (std::size_t l = 0; l < kLanes; ++l) of_r[l] -= r[l];
  }

  void find(int k) {
    subtract(x_, k, dx_);
    subtract(y_, k, dy_);
    subtract(u_, k, wx_);
    subtract(v_, k, wy_);
    for (std::size_t i = 0; i < N_; i += kLanes) find_rows(k, i);
    double *a = at(a_, k), *b = at(b_, k), *r = r_.data() + kLanes, *lambda = at(lambda_, k);
    a[0] /= 2;
    b[0] = b[N_] = 0;
    r[0] -= at(dy_, k)[0];
    for (std::size_t i = 0; i < N_; i += kLanes) subtract_known(k, i);
    double *pivot = pivot_.data() + kLanes, *factor = factor_.data() + kLanes;
    if (k == 0) {
      for (std::size_t i = 0; i < N_; ++i) {
        factor[i] = i > 0 ? b[i] * pivot[i - 1] : 0;
        pivot[i] = 1 / (a[i] - b[i] * factor[i]);
      }
    }
    const double* first = at(b_, 0);
    double value = 0;
    for (std::size_t i = 0; i < N_; ++i) lambda[i] = value = (r[i] - first[i] * value) * pivot[i];
    for (std::size_t i = N_ - 1; i > 0; --i) lambda[i - 1] -= factor[i] * lambda[i];

    double *tx = tx_.data() + kLanes, *ty = ty_.data() + kLanes;
    for (std::size_t i = 0; i < N_; i += kLanes) {
      double sx[kLanes] = {}, sy[kLanes] = {};
      for (int j = 0; j <= k; ++j) {
        add_products(sx, at(lambda_, j) + i, at(dx_, k - j) + i, 0);
        add_products(sy, at(lambda_, j) + i, at(dy_, k - j) + i, 0);
      }
      std::copy(sx, sx + kLanes, tx + i);
      std::copy(sy, sy + kLanes, ty + i);
    }
    tx[N_] = ty[N_] = 0;
    const double part = 1.0 / (k + 1), gravity = k == 0 ? 1 : 0;
    const double *u = at(u_, k), *v = at(v_, k);
    double *x1 = at(x_, k + 1), *y1 = at(y_, k + 1), *u1 = at(u_, k + 1), *v1 = at(v_, k + 1);
    for (std::size_t i = 0; i < N_; ++i) {
      x1[i] = u[i] * part;
      y1[i] = v[i] * part;
      u1[i] = (tx[i + 1] - tx[i]) * part;
      v1[i] = (ty[i + 1] - ty[i] - gravity) * part;
    }
  }

  double size(int k) {
    double largest = 0;
    for (Row* part : {&x_, &y_, &u_, &v_})
      for (std::size_t i = 0; i < N_; ++i) largest = std::max(largest, std::abs(at(*part, k)[i]));
    return largest;
  }

  void sum(double h, double* z) {
    for (Row* part : {&x_, &y_, &u_, &v_}) {
      std::copy(at(*part, K_), at(*part, K_) + N_, z);
      for (int k = K_ - 1; k >= 0; --k) {
        const double* x = at(*part, k);
        for (std::size_t i = 0; i < N_; ++i) z[i] = z[i] * h + x[i];
      }
      z += N_;
    }
  }

  std::size_t N_;
  int K_;
  std::size_t row_;
  Row x_, y_, u_, v_, dx_, dy_, wx_, wy_, a_, b_, lambda_;  // by order and link
  Row r_, pivot_, factor_, tx_, ty_;                        // by link
};

}  // namespace cotangent::hand_written
