// The problems of ./dev bench peers, as an expert writes them down: z = (q, v), z' = (v, a(q, v)), with multipliers
// eliminated by hand. A `Field` over numbers of type T is called as f(z, rate) and has `project`, which moves z to the
// nearest point with g(q) = 0 and G v = 0. All masses are 1 unless a problem says otherwise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/hand_written/water.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent::peers {

using Vector = std::vector<double>;

using std::abs, std::cos, std::sin, std::sqrt;
inline Quad sqrt(Quad x) { return sqrtq(x); }
inline Quad sin(Quad x) { return sinq(x); }
inline Quad cos(Quad x) { return cosq(x); }

/// What a run of the program needs to solve the same problem, and where the motion begins and ends.
struct Task {
  std::string name, title;
  std::string model;             ///< a file, in models/ or in benchmarks/peers/models/
  std::vector<std::string> set;  ///< NAME=VALUE
  double end = 0;
  double wanted = 0;  ///< the error that the table is about
  double unit = 1;    ///< of the steps that are tried
  Vector start = {};  ///< (q, v)
};

/// Newton's corrections of a projection end when g is at the level of rounding errors, or will not come to it.
constexpr double kResidual = 1e-14;
constexpr int kCorrections = 4;

/// P1: a mass on a rod about the origin, in Cartesian coordinates.
///
///   g = (|q|^2 - 1) / 2,   |q|^2 lambda = |v|^2 - y,   v' = -e_y - lambda q
struct Pendulum {
  Task task;

  template <class T>
  struct Field {
    explicit Field(const Pendulum&) {}
    void operator()(const T* z, T* f) const {
      const T lambda = (z[2] * z[2] + z[3] * z[3] - z[1]) / (z[0] * z[0] + z[1] * z[1]);
      f[0] = z[2];
      f[1] = z[3];
      f[2] = -lambda * z[0];
      f[3] = -lambda * z[1] - 1;
    }
    void project(T* z) const {
      const T scale = 1 / sqrt(z[0] * z[0] + z[1] * z[1]);
      z[0] *= scale;
      z[1] *= scale;
      const T along = z[0] * z[2] + z[1] * z[3];
      z[2] -= along * z[0];
      z[3] -= along * z[1];
    }
  };

  Vector momenta(const Vector& z) const { return z; }
};

/// P2, gravity on a chain that hangs at the origin: entries are x_1 .. x_N, y_1 .. y_N.
struct Hanging {
  static constexpr int kDimension = 2;
  static constexpr bool kAnchored = true;
  static std::size_t at(std::size_t N, std::size_t i, int c) { return i + N * static_cast<std::size_t>(c); }

  template <class T>
  static void force(std::size_t N, const T* /*d*/, T* F) {
    std::fill(F, F + N, T(0));
    std::fill(F + N, F + 2 * N, T(-1));
  }
};

/// P4, the energy 5 (1 - d_i.d_{i+1}) of all angles of a free chain in space: entries are x_1, y_1, z_1, x_2, ...
struct Bending {
  static constexpr int kDimension = 3;
  static constexpr bool kAnchored = false;
  static constexpr double kStiffness = 5;
  static std::size_t at(std::size_t /*N*/, std::size_t i, int c) { return 3 * i + static_cast<std::size_t>(c); }

  // The force along rod i is s_i = 5 (d_{i-1} + d_{i+1}): it pushes its end and pulls at its beginning.
  template <class T>
  static void force(std::size_t N, const T* d, T* F) {
    std::fill(F, F + 3 * N, T(0));
    for (std::size_t i = 1; i < N; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        T s(0);
        if (i > 1) s += d[3 * (i - 1) + c];
        if (i + 1 < N) s += d[3 * (i + 1) + c];
        F[3 * i + c] += T(kStiffness) * s;
        F[3 * (i - 1) + c] -= T(kStiffness) * s;
      }
  }
};

/// Points joined by rods of length 1, each to the one before it, and the first one to the origin where it is anchored.
/// With d_i = q_i - q_{i-1} and w_i = v_i - v_{i-1}:
///
///   g_i = (|d_i|^2 - 1) / 2,   a_i = F_i - d_i lambda_i + d_{i+1} lambda_{i+1},
///   (G G' lambda)_i = |w_i|^2 + d_i.(F_i - F_{i-1}),   G G' tridiagonal
template <class Shape>
struct PointChain {
  static constexpr int D = Shape::kDimension;
  static constexpr std::size_t kFirst = Shape::kAnchored ? 0 : 1;

  Task task;
  std::size_t N = 0;

  template <class T>
  class Field {
   public:
    explicit Field(const PointChain& chain)
        : N_(chain.N), d_(D * N_), w_(D * N_), F_(D * N_), r_(N_ + 1), inverse_(N_), upper_(N_) {}

    void operator()(const T* z, T* f) {
      const T* v = z + D * N_;
      std::copy(v, v + D * N_, f);
      differences(z, d_);
      differences(v, w_);
      Shape::force(N_, d_.data(), F_.data());
      for (std::size_t i = kFirst; i < N_; ++i) {
        r_[i] = dot(w_, i, w_, i);
        for (int c = 0; c < D; ++c) {
          const T before = i > 0 ? F_[at(i - 1, c)] : T(0);
          r_[i] += d_[at(i, c)] * (F_[at(i, c)] - before);
        }
      }
      solve();
      for (std::size_t k = 0; k < D * N_; ++k) f[D * N_ + k] = F_[k];
      kick(f + D * N_);
    }

    void project(T* z) {
      T* v = z + D * N_;
      for (int k = 0;; ++k) {
        differences(z, d_);
        T worst(0);
        for (std::size_t i = kFirst; i < N_; ++i) {
          r_[i] = (dot(d_, i, d_, i) - 1) / 2;
          worst = std::max(worst, abs(r_[i]));
        }
        if (worst <= T(kResidual) || k == kCorrections) break;
        solve();
        kick(z);
      }
      differences(v, w_);
      for (std::size_t i = kFirst; i < N_; ++i) r_[i] = dot(d_, i, w_, i);
      solve();
      kick(v);
    }

   private:
    std::size_t at(std::size_t i, int c) const { return Shape::at(N_, i, c); }

    void differences(const T* x, std::vector<T>& d) const {
      for (int c = 0; c < D; ++c) {
        d[at(0, c)] = Shape::kAnchored ? x[at(0, c)] : T(0);
        for (std::size_t i = 1; i < N_; ++i) d[at(i, c)] = x[at(i, c)] - x[at(i - 1, c)];
      }
    }

    T dot(const std::vector<T>& a, std::size_t i, const std::vector<T>& b, std::size_t k) const {
      T sum(0);
      for (int c = 0; c < D; ++c) sum += a[at(i, c)] * b[at(k, c)];
      return sum;
    }

    // G G' r = r, by elimination downwards and back.
    void solve() {
      T upper(0), above(0);
      for (std::size_t i = kFirst; i < N_; ++i) {
        const T lower = i > kFirst ? -dot(d_, i, d_, i - 1) : T(0);
        upper_[i] = lower * upper;  // what row i - 1 has of lambda_i
        upper = 1 / ((i > 0 ? 2 : 1) * dot(d_, i, d_, i) - lower * upper_[i]);
        above = r_[i] = (r_[i] - lower * above) * upper;
      }
      for (std::size_t i = N_ - 1; i > kFirst; --i) r_[i - 1] -= upper_[i] * r_[i];
      r_[N_] = T(0);
    }

    // x -= G' r
    void kick(T* x) const {
      for (int c = 0; c < D; ++c) {
        for (std::size_t i = 0; i < N_; ++i) {
          if (i >= kFirst) x[at(i, c)] -= d_[at(i, c)] * r_[i];
          if (i + 1 < N_) x[at(i, c)] += d_[at(i + 1, c)] * r_[i + 1];
        }
      }
    }

    std::size_t N_;
    std::vector<T> d_, w_, F_, r_, inverse_, upper_;
  };

  Vector momenta(const Vector& z) const { return z; }
};

using Chain = PointChain<Hanging>;
using Polymer = PointChain<Bending>;

/// P5: a four-bar linkage of uniform bars in their angles, two constraints and a mass matrix that depends on q.
///
///   T = (A a'^2 + B b'^2 + C c'^2) / 2 + E cos(a - b) a' b',   V = U sin a + W sin b + X sin c
///   g = (l1 cos a + l2 cos b - l3 cos c - d, l1 sin a + l2 sin b - l3 sin c)
struct FourBar {
  Task task;
  static constexpr double l1 = 1, l2 = 2.5, l3 = 2, d = 3, m1 = 1, m2 = 2.5, m3 = 2;
  static constexpr double A = (m1 / 3 + m2) * l1 * l1, B = m2 * l2 * l2 / 3, C = m3 * l3 * l3 / 3, E = m2 * l1 * l2 / 2;
  static constexpr double U = (m1 / 2 + m2) * l1, W = m2 * l2 / 2, X = m3 * l3 / 2;

  template <class T>
  struct Field {
    explicit Field(const FourBar&) {}

    void operator()(const T* z, T* f) {
      look(z);
      const T E_ = T(E), s = E_ * (sin_[0] * cos_[1] - cos_[0] * sin_[1]);
      const T u[3] = {z[3] * z[3], z[4] * z[4], z[5] * z[5]};
      // M a = F - G' lambda, G a = -sum g_kk u_k
      T F[3] = {-s * u[1] - T(U) * cos_[0], s * u[0] - T(W) * cos_[1], -T(X) * cos_[2]};
      inverse_mass(F);
      T r[2] = {G(0, 0) * F[0] + G(0, 1) * F[1] + G(0, 2) * F[2], G(1, 0) * F[0] + G(1, 1) * F[1] + G(1, 2) * F[2]};
      for (int k = 0; k < 3; ++k) {
        r[0] -= length(k) * cos_[k] * u[k];
        r[1] -= length(k) * sin_[k] * u[k];
      }
      kick(F, r);
      for (int k = 0; k < 3; ++k) {
        f[k] = z[3 + k];
        f[3 + k] = F[k];
      }
    }

    void project(T* z) {
      for (int k = 0;; ++k) {
        look(z);
        T r[2] = {-T(d), T(0)};
        for (int j = 0; j < 3; ++j) {
          r[0] += length(j) * cos_[j];
          r[1] += length(j) * sin_[j];
        }
        if (std::max(abs(r[0]), abs(r[1])) <= T(kResidual) || k == kCorrections) break;
        kick(z, r);
      }
      T r[2] = {G(0, 0) * z[3] + G(0, 1) * z[4] + G(0, 2) * z[5], G(1, 0) * z[3] + G(1, 1) * z[4] + G(1, 2) * z[5]};
      kick(z + 3, r);
    }

   private:
    static T length(int k) { return T(k == 0 ? l1 : k == 1 ? l2 : -l3); }
    T G(int row, int k) const { return row == 0 ? -length(k) * sin_[k] : length(k) * cos_[k]; }

    void look(const T* z) {
      for (int k = 0; k < 3; ++k) {
        sin_[k] = sin(z[k]);
        cos_[k] = cos(z[k]);
      }
      mixed_ = T(E) * (cos_[0] * cos_[1] + sin_[0] * sin_[1]);
    }
    void inverse_mass(T* x) const {
      const T scale = 1 / (T(A) * T(B) - mixed_ * mixed_), x0 = x[0];
      x[0] = (T(B) * x0 - mixed_ * x[1]) * scale;
      x[1] = (T(A) * x[1] - mixed_ * x0) * scale;
      x[2] /= T(C);
    }
    // x -= M^-1 G' R^-1 r, R = G M^-1 G'
    void kick(T* x, const T* r) const {
      T rows[2][3], R[2][2];
      for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) rows[i][k] = G(i, k);
        inverse_mass(rows[i]);
        for (int j = 0; j < 2; ++j) R[i][j] = rows[i][0] * G(j, 0) + rows[i][1] * G(j, 1) + rows[i][2] * G(j, 2);
      }
      const T scale = 1 / (R[0][0] * R[1][1] - R[0][1] * R[1][0]);
      const T first = (R[1][1] * r[0] - R[0][1] * r[1]) * scale, second = (R[0][0] * r[1] - R[1][0] * r[0]) * scale;
      for (int k = 0; k < 3; ++k) x[k] -= rows[0][k] * first + rows[1][k] * second;
    }

    T sin_[3], cos_[3], mixed_;
  };

  Vector momenta(Vector z) const {
    const double mixed = E * std::cos(z[0] - z[1]), a = z[3], b = z[4];
    z[3] = A * a + mixed * b;
    z[4] = mixed * a + B * b;
    z[5] *= C;
    return z;
  }
};

/// P7: the chain of P2 in N relative angles, an unconstrained Lagrangian system with a full mass matrix. Accelerations
/// of the points are those of the chain, so that a field costs N: theta_i'' = d_i x (a_i - a_{i-1}).
struct Arm {
  Task task;
  std::size_t N = 0;

  template <class T>
  class Field {
   public:
    explicit Field(const Arm& arm) : N_(arm.N), chain_(Chain{arm.task, arm.N}), z_(4 * N_), f_(4 * N_) {}

    void operator()(const T* z, T* f) {
      place(N_, z, z_.data());
      chain_(z_.data(), f_.data());
      const T *x = z_.data(), *y = x + N_, *ax = f_.data() + 2 * N_, *ay = ax + N_;
      T before(0), px(0), py(0), pax(0), pay(0);
      for (std::size_t i = 0; i < N_; ++i) {
        f[i] = z[N_ + i];
        const T turning = (x[i] - px) * (ay[i] - pay) - (y[i] - py) * (ax[i] - pax);
        f[N_ + i] = turning - before;
        before = turning;
        px = x[i], py = y[i], pax = ax[i], pay = ay[i];
      }
    }
    void project(T*) const {}

   private:
    std::size_t N_;
    Chain::Field<T> chain_;
    std::vector<T> z_, f_;
  };

  /// Positions and velocities of the points.
  template <class T>
  static void place(std::size_t N, const T* z, T* points) {
    T angle(0), rate(0), x(0), y(0), u(0), v(0);
    for (std::size_t i = 0; i < N; ++i) {
      angle += z[i];
      rate += z[N + i];
      const T c = cos(angle), s = sin(angle);
      points[i] = x += c;
      points[N + i] = y += s;
      points[2 * N + i] = u -= rate * s;
      points[3 * N + i] = v += rate * c;
    }
  }

  // That of theta_i is d_i x (sum of v_k, k >= i), and that of q_i the sum of these from i on.
  Vector momenta(Vector z) const {
    Vector points(4 * N);
    place(N, z.data(), points.data());
    double u = 0, v = 0, sum = 0;
    for (std::size_t i = N; i-- > 0;) {
      u += points[2 * N + i];
      v += points[3 * N + i];
      const double dx = points[i] - (i > 0 ? points[i - 1] : 0), dy = points[N + i] - (i > 0 ? points[N + i - 1] : 0);
      z[N + i] = sum += dx * v - dy * u;
    }
    return z;
  }
};

/// P6: L^3 rigid water molecules, all pairs. Entries of (q, v) are x, y, z of the first site, of the second, ...; in
/// benchmarks/hand_written/water.hpp they are x of all sites, y, z.
struct Droplet {
  Task task;
  std::size_t L = 0;
  std::size_t sites() const { return 3 * L * L * L; }

  /// From one order into the other.
  template <class T>
  static void by_component(std::size_t sites, const T* z, T* x) {
    for (std::size_t s = 0; s < sites; ++s)
      for (std::size_t c = 0; c < 3; ++c) x[c * sites + s] = z[3 * s + c];
  }
  template <class T>
  static void by_site(std::size_t sites, const T* x, T* z) {
    for (std::size_t s = 0; s < sites; ++s)
      for (std::size_t c = 0; c < 3; ++c) z[3 * s + c] = x[c * sites + s];
  }

  template <class T>
  class Field {
   public:
    using Water = hand_written::Water;
    using Sites = Water::Sites<T>;

    explicit Field(const Droplet& droplet) : sites_(droplet.sites()), r_(3 * sites_), F_(3 * sites_), charge_(sites_) {
      for (std::size_t s = 0; s < sites_; ++s) charge_[s] = T(Water::kCharge[s % 3]);
    }

    // |w|^2 + d.(a - M^-1 d'lambda) = 0 for the sides d of each molecule, w their rates and a accelerations.
    void operator()(const T* z, T* f) {
      const T* v = z + 3 * sites_;
      std::copy(v, v + 3 * sites_, f);
      by_component(sites_, z, r_.data());
      Water::forces(sites_, r_.data(), F_.data(), charge_.data());
      T* const a = f + 3 * sites_;
      by_site(sites_, F_.data(), a);
      for (std::size_t first = 0; first < sites_; first += 3) {
        const Sites d = Water::sides(get(z, first)), w = Water::sides(get(v, first));
        Sites acceleration = get(a, first);
        for (std::size_t k = 0; k < 3; ++k)
          for (T& x : acceleration[k]) x /= T(Water::kMass[k]);
        const Sites b = Water::sides(acceleration);
        std::array<T, 3> right;
        for (std::size_t e = 0; e < 3; ++e) right[e] = Water::dot(w[e], w[e]) + Water::dot(d[e], b[e]);
        Water::pull(acceleration, d, Water::multipliers(d, d, right));
        put(acceleration, first, a);
      }
    }

    void project(T* z) {
      T* const v = z + 3 * sites_;
      for (std::size_t first = 0; first < sites_; first += 3) {
        Sites r = get(z, first), d = Water::sides(r);
        for (int k = 0; k < kCorrections; ++k) {
          const std::array<T, 3> g = Water::residual(d);
          if (std::max({abs(g[0]), abs(g[1]), abs(g[2])}) <= T(kResidual) * T(Water::kSide)) break;
          Water::pull(r, d, Water::multipliers(d, d, g));
          d = Water::sides(r);
        }
        put(r, first, z);
        Sites u = get(v, first);
        const Sites w = Water::sides(u);
        std::array<T, 3> right;
        for (std::size_t e = 0; e < 3; ++e) right[e] = Water::dot(d[e], w[e]);
        Water::pull(u, d, Water::multipliers(d, d, right));
        put(u, first, v);
      }
    }

   private:
    static Sites get(const T* x, std::size_t first) {
      Sites sites;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t c = 0; c < 3; ++c) sites[a][c] = x[3 * (first + a) + c];
      return sites;
    }
    static void put(const Sites& sites, std::size_t first, T* x) {
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t c = 0; c < 3; ++c) x[3 * (first + a) + c] = sites[a][c];
    }

    std::size_t sites_;
    std::vector<T> r_, F_, charge_;
  };

  /// (q, p) in the order of the model: all molecules, then sites, then components.
  Vector momenta(const Vector& z) const {
    const std::size_t M = sites() / 3, n = 9 * M;
    Vector end(2 * n);
    for (std::size_t i = 0; i < M; ++i)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t from = 9 * i + 3 * a + c, to = i + M * (a + 3 * c);
          end[to] = z[from];
          end[n + to] = hand_written::Water::kMass[a] * z[n + from];
        }
    return end;
  }
};

Pendulum pendulum(double end);
Chain chain(std::size_t N, double end);
Polymer polymer(std::size_t N);
FourBar four_bar();
Arm arm(std::size_t N);
Droplet droplet(std::size_t L);

}  // namespace cotangent::peers
