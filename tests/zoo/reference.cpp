#include "tests/zoo/reference.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace cotangent::zoo {
namespace {

constexpr std::size_t kRows = 10;  // order 20

Real largest(const Vec& y) {
  Real result = 0;
  for (const Real value : y) result = std::max(result, std::abs(value));
  return result;
}

// The modified midpoint rule with n steps (n even) over H: its error has an expansion in powers of (H/n)^2.
Vec midpoint(const Field& f, const Vec& f0, Real t, const Vec& y, Real H, int n) {
  const Real h = H / static_cast<Real>(n);
  Vec before = y, now = y;
  for (std::size_t i = 0; i < y.size(); ++i) now[i] += h * f0[i];
  for (int k = 1; k < n; ++k) {
    const Vec slope = f(t + static_cast<Real>(k) * h, now);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Real next = before[i] + 2 * h * slope[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  return now;
}

// One step of the extrapolation method; returns the difference of the last two entries of the tableau.
Real extrapolate(const Field& f, Real t, const Vec& y, Real H, Vec& result) {
  const Vec f0 = f(t, y);
  std::array<Vec, kRows> column;  // column[j] = T(row, j) of the newest row
  Real error = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    Vec previous = midpoint(f, f0, t, y, H, 2 * static_cast<int>(row + 1));
    for (std::size_t j = 0; j < row; ++j) {
      // T(row, j+1) = T(row, j) + (T(row, j) - T(row-1, j)) / ((n_row/n_{row-j-1})^2 - 1)
      const Real ratio = static_cast<Real>(row + 1) / static_cast<Real>(row - j);
      Vec next(y.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        next[i] = previous[i] + (previous[i] - column[j][i]) / (ratio * ratio - 1);
      column[j] = std::exchange(previous, std::move(next));
    }
    column[row] = std::move(previous);
  }
  result = column[kRows - 1];
  for (std::size_t i = 0; i < y.size(); ++i) error = std::max(error, std::abs(result[i] - column[kRows - 2][i]));
  return error;
}

}  // namespace

Vec integrate(const Field& f, Vec y, Real T) {
  constexpr Real kTolerance = 1e-16L;
  Real t = 0, H = T / 16;
  for (Vec next; t < T;) {
    const bool last = t + H >= T;
    if (last) H = T - t;
    const Real difference = extrapolate(f, t, y, H, next);
    const Real error = difference / std::max(largest(y), largest(next));
    // The difference behaves like H^(2 kRows - 1).
    const Real factor = std::clamp(
        0.9L * std::pow(kTolerance / std::max(error, 1e-30L), 1 / static_cast<Real>(2 * kRows - 1)), 0.2L, 3.0L);
    if (error <= kTolerance) {
      y = next;
      if (last) break;
      t += H;
    } else if (!(H > T * 1e-12L)) {
      throw std::runtime_error("the reference solution cannot be continued");
    }
    H *= error <= kTolerance ? factor : std::min(factor, 0.7L);
  }
  return y;
}

Vec solve(Mat a, Vec b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    if (a[k][k] == 0) throw std::runtime_error("singular matrix in a reference solution");
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

namespace {

Real dot(const Vec& a, const Vec& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vec times(const Mat& m, const Vec& x) {
  Vec y(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) y[i] = dot(m[i], x);
  return y;
}

// x, x' and x'' along s + e s', t + e: a curve with the velocity of the motion, but s'' = 0.
Jets along_motion(const Mechanism& mechanism, Real t, const Vec& s, const Vec& s_dot) {
  Jets moved(s.size());
  for (std::size_t a = 0; a < s.size(); ++a) moved[a] = {s[a], s_dot[a], 0};
  return mechanism.place(moved, {t, 1, 0});
}

Motion motion_at(const Mechanism& mechanism, Real t, const Vec& s, const Vec& s_dot) {
  Motion motion;
  for (const Jet& x : along_motion(mechanism, t, s, s_dot)) {
    motion.x.push_back(x.v);
    motion.v.push_back(x.d);
  }
  return motion;
}

Vec acceleration(const Mechanism& mechanism, Real t, const Vec& s, const Vec& s_dot, const Motion& motion,
                 const Vec& u) {
  const std::size_t n = s.size();
  Mat J_transposed;
  for (std::size_t a = 0; a < n; ++a) {
    Jets moved(s.begin(), s.end());
    moved[a].d = 1;
    Vec row;
    for (const Jet& x : mechanism.place(moved, t)) row.push_back(x.d);
    J_transposed.push_back(std::move(row));
  }
  Vec c;
  for (const Jet& x : along_motion(mechanism, t, s, s_dot)) c.push_back(x.dd);

  Vec rest = mechanism.force(t, motion.x, motion.v, u);
  const Vec inertia = times(mechanism.mass, c);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= inertia[i];
  Mat reduced(n, Vec(n));
  for (std::size_t b = 0; b < n; ++b) {
    const Vec column = times(mechanism.mass, J_transposed[b]);
    for (std::size_t a = 0; a < n; ++a) reduced[a][b] = dot(J_transposed[a], column);
  }
  return solve(std::move(reduced), times(J_transposed, rest));
}

}  // namespace

Motion follow(const Mechanism& mechanism, const Vec& s, const Vec& s_dot, Real T, const Vec& u) {
  const std::size_t n = s.size();
  const auto part = [n](const Vec& y, std::size_t which) {
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(which * n);
    return which < 2 ? Vec(begin, begin + static_cast<std::ptrdiff_t>(n)) : Vec(begin, y.end());
  };
  const Field field = [&](Real t, const Vec& y) {
    const Vec place = part(y, 0), rate = part(y, 1), more = part(y, 2);
    const Motion motion = motion_at(mechanism, t, place, rate);
    Vec slope = rate;
    const Vec a = acceleration(mechanism, t, place, rate, motion, more);
    slope.insert(slope.end(), a.begin(), a.end());
    if (mechanism.rates) {
      const Vec rates = mechanism.rates(t, motion.x, motion.v, more);
      slope.insert(slope.end(), rates.begin(), rates.end());
    }
    return slope;
  };
  Vec y = s;
  y.insert(y.end(), s_dot.begin(), s_dot.end());
  y.insert(y.end(), u.begin(), u.end());
  y = integrate(field, std::move(y), T);
  Motion motion = motion_at(mechanism, T, part(y, 0), part(y, 1));
  motion.u = part(y, 2);
  return motion;
}

std::function<Vec(Real, const Vec&, const Vec&, const Vec&)> gravity(const Vec& m, std::size_t dimension, Real g) {
  return [=](Real, const Vec& x, const Vec&, const Vec&) {
    Vec force(x.size());
    for (std::size_t i = 0; i < m.size(); ++i) force[i * dimension + dimension - 1] = -m[i] * g;
    return force;
  };
}

Jet3 turned(const Jet3& a, std::size_t axis, const Jet& angle) {
  const std::size_t x = (axis + 1) % 3, y = (axis + 2) % 3;
  Jet3 result = a;
  result[x] = cos(angle) * a[x] - sin(angle) * a[y];
  result[y] = sin(angle) * a[x] + cos(angle) * a[y];
  return result;
}

Mat diagonal(const Vec& entries) {
  Mat result(entries.size(), Vec(entries.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) result[i][i] = entries[i];
  return result;
}

void add_rod(Mat& mass, Real m, std::ptrdiff_t a, std::ptrdiff_t b, std::size_t dimension) {
  const auto add = [&](std::ptrdiff_t i, std::ptrdiff_t j, Real value) {
    if (i == kFixed || j == kFixed) return;
    for (std::size_t k = 0; k < dimension; ++k)
      mass[static_cast<std::size_t>(i) + k][static_cast<std::size_t>(j) + k] += value;
  };
  add(a, a, m / 3);
  add(b, b, m / 3);
  add(a, b, m / 6);
  add(b, a, m / 6);
}

}  // namespace cotangent::zoo
