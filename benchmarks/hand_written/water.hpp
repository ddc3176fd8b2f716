// Rigid water molecules (SPC/E), all pairs, written by hand: models/water_droplet.toml. Sites are numbered O, H, H of
// the first molecule, O, H, H of the second; r_s, v_s, m_s are place, velocity and mass of site s.
//
//   V = sum over sites of different molecules  k q_s q_t / |r_s - r_t|  +  sum over oxygens  4 epsilon (u^6 - u^3),
//   u = sigma^2 / |r|^2
//
// Each molecule is held by g = (|d|^2 - l^2) / 2 for its three sides d, so that multipliers are found molecule by
// molecule from systems of three equations. The cost is that of the forces: nine square roots and divisions for each
// pair of molecules, in loops that the compiler turns into vectors (with sums in any order, and no errno of sqrt).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent::hand_written {

struct Water {
  static constexpr double kMass[3] = {15.9994, 1.008, 1.008}, kCharge[3] = {-0.8476, 0.4238, 0.4238};
  static constexpr double kCoulomb = 138.935458, kSigma = 0.3166, kEpsilon = 0.650, kSide = 0.1, kCell = 0.3107;
  static constexpr int kEnds[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  /// l^2 of a side, as the model has it.
  static constexpr double length2(int side) { return (side == 2 ? 8.0 / 3 : 1.0) * kSide * kSide; }

  /// F, both as x of all sites, y, z.
  template <class T>
  static void forces(std::size_t sites, const T* __restrict r, T* __restrict F, const T* __restrict charge) {
    using cotangent::sqrt;
    const T *x = r, *y = r + sites, *z = y + sites;
    T *Fx = F, *Fy = F + sites, *Fz = Fy + sites;
    for (std::size_t k = 0; k < 3 * sites; ++k) F[k] = T(0);
    for (std::size_t s = 0; s < sites; ++s) {
      const T sx = x[s], sy = y[s], sz = z[s], scale = T(kCoulomb) * charge[s];
      T fx(0), fy(0), fz(0);
#pragma omp simd reduction(+ : fx, fy, fz)
      for (std::size_t t = s - s % 3 + 3; t < sites; ++t) {
        const T dx = sx - x[t], dy = sy - y[t], dz = sz - z[t];
        const T inverse2 = 1 / (dx * dx + dy * dy + dz * dz), along = scale * charge[t] * (inverse2 * sqrt(inverse2));
        fx += along * dx, fy += along * dy, fz += along * dz;
        Fx[t] -= along * dx, Fy[t] -= along * dy, Fz[t] -= along * dz;
      }
      if (s % 3 == 0) {
        for (std::size_t t = s + 3; t < sites; t += 3) {
          const T dx = sx - x[t], dy = sy - y[t], dz = sz - z[t];
          const T inverse2 = 1 / (dx * dx + dy * dy + dz * dz), u = T(kSigma * kSigma) * inverse2, u3 = u * u * u;
          const T along = T(24 * kEpsilon) * (2 * u3 * u3 - u3) * inverse2;
          fx += along * dx, fy += along * dy, fz += along * dz;
          Fx[t] -= along * dx, Fy[t] -= along * dy, Fz[t] -= along * dz;
        }
      }
      Fx[s] += fx, Fy[s] += fy, Fz[s] += fz;
    }
  }

  template <class T>
  using Sites = std::array<std::array<T, 3>, 3>;  // of a molecule, then components

  template <class T>
  static Sites<T> sides(const Sites<T>& r) {
    Sites<T> d;
    for (int e = 0; e < 3; ++e)
      for (int c = 0; c < 3; ++c) d[e][c] = r[kEnds[e][1]][c] - r[kEnds[e][0]][c];
    return d;
  }

  template <class T>
  static T dot(const std::array<T, 3>& a, const std::array<T, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }

  /// lambda with  (a M^-1 b') lambda = right,  a and b rows of sides; by Cramer's rule.
  template <class T>
  static std::array<T, 3> multipliers(const Sites<T>& a, const Sites<T>& b, const std::array<T, 3>& right) {
    T R[3][3];
    for (int e = 0; e < 3; ++e)
      for (int f = 0; f < 3; ++f) {
        T weight(0);
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j)
            if (kEnds[e][i] == kEnds[f][j]) weight += T(i == j ? 1 : -1) / T(kMass[kEnds[e][i]]);
        R[e][f] = weight * dot(a[e], b[f]);
      }
    const auto minor = [&](int i, int j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      return R[i1][j1] * R[i2][j2] - R[i1][j2] * R[i2][j1];
    };
    const T inverse = 1 / (R[0][0] * minor(0, 0) + R[0][1] * minor(0, 1) + R[0][2] * minor(0, 2));
    std::array<T, 3> lambda;
    for (int f = 0; f < 3; ++f)
      lambda[f] = (minor(0, f) * right[0] + minor(1, f) * right[1] + minor(2, f) * right[2]) * inverse;
    return lambda;
  }

  /// x -= M^-1 d' lambda
  template <class T>
  static void pull(Sites<T>& x, const Sites<T>& d, const std::array<T, 3>& lambda) {
    for (int e = 0; e < 3; ++e)
      for (int c = 0; c < 3; ++c) {
        x[kEnds[e][0]][c] += lambda[e] * d[e][c] / T(kMass[kEnds[e][0]]);
        x[kEnds[e][1]][c] -= lambda[e] * d[e][c] / T(kMass[kEnds[e][1]]);
      }
  }

  template <class T>
  static std::array<T, 3> residual(const Sites<T>& d) {
    std::array<T, 3> g;
    for (int e = 0; e < 3; ++e) g[e] = (dot(d[e], d[e]) - T(length2(e))) / 2;
    return g;
  }
};

/// RATTLE, with all molecules solved to rounding errors.
class WaterRattle {
 public:
  /// r and v as x of all sites, y, z.
  WaterRattle(std::vector<double> r, std::vector<double> v)
      : sites_(r.size() / 3), r_(std::move(r)), v_(std::move(v)), F_(r_.size()), charge_(sites_) {
    for (std::size_t s = 0; s < sites_; ++s) charge_[s] = Water::kCharge[s % 3];
    Water::forces(sites_, r_.data(), F_.data(), charge_.data());
  }

  const std::vector<double>& r() const { return r_; }
  const std::vector<double>& v() const { return v_; }

  /// @return whether every step converged.
  bool advance(double h, long steps) {
    guesses_.assign(sites_ / 3, {0, 0, 0});
    for (long k = 0; k < steps; ++k) {
      bool converged = true;
      kick(h / 2);
      for (std::size_t molecule = 0; molecule < sites_ / 3; ++molecule) converged &= drift(molecule, h);
      if (!converged) return false;
      Water::forces(sites_, r_.data(), F_.data(), charge_.data());
      kick(h / 2);
      for (std::size_t molecule = 0; molecule < sites_ / 3; ++molecule) project(molecule);
    }
    return true;
  }

 private:
  using Sites = Water::Sites<double>;

  Sites get(const std::vector<double>& x, std::size_t molecule) const {
    Sites sites;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) sites[a][c] = x[c * sites_ + 3 * molecule + a];
    return sites;
  }
  void put(const Sites& sites, std::size_t molecule, std::vector<double>& x) const {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) x[c * sites_ + 3 * molecule + a] = sites[a][c];
  }

  void kick(double h) {
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += h * F_[k] / Water::kMass[k % 3];
  }

  // v' = v - M^-1 d'l,  r' = r + h v',  g(r') = 0: Newton's method for l, from that of the last step.
  bool drift(std::size_t molecule, double h) {
    const Sites r = get(r_, molecule), d = Water::sides(r);
    Sites v = get(v_, molecule), end = r;
    std::array<double, 3> l = guesses_[molecule], change = l;
    for (int k = 0; k < 20; ++k) {
      Water::pull(v, d, change);
      double size = 1;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t c = 0; c < 3; ++c) {
          end[a][c] = r[a][c] + h * v[a][c];
          size = std::max(size, std::abs(end[a][c]));
        }
      const Sites e = Water::sides(end);
      std::array<double, 3> g = Water::residual(e);
      if (std::max({std::abs(g[0]), std::abs(g[1]), std::abs(g[2])}) <= 2 * epsilon<double>() * Water::kSide * size) {
        put(end, molecule, r_);
        put(v, molecule, v_);
        guesses_[molecule] = l;
        return true;
      }
      change = Water::multipliers(e, d, g);
      for (std::size_t f = 0; f < 3; ++f) l[f] += change[f] /= h;
    }
    return false;
  }

  void project(std::size_t molecule) {
    const Sites d = Water::sides(get(r_, molecule));
    Sites v = get(v_, molecule);
    const Sites w = Water::sides(v);
    Water::pull(
        v, d,
        Water::multipliers<double>(d, d, {Water::dot(d[0], w[0]), Water::dot(d[1], w[1]), Water::dot(d[2], w[2])}));
    put(v, molecule, v_);
  }

  std::size_t sites_;
  std::vector<double> r_, v_, F_, charge_;
  std::vector<std::array<double, 3>> guesses_;
};

}  // namespace cotangent::hand_written
