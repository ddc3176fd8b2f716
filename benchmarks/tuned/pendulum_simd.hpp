// RATTLE for an ensemble of planar pendulums, written by hand, with SIMD over the trajectories.
//
// The step is the one of pendulum.hpp, in displacements u = (h/m) p per step and with c = h^2 g / 2:
//
//   u' = u - c e_y - lambda q,    Q = q + u',            |Q|^2 = l^2,
//   U  = u' - c e_y - mu Q,       mu = Q.(u' - c e_y) / l^2.
//
// A group of n = 4 vectors is advanced through all steps; several at once so that the latency of one hides
// behind the arithmetic of the others, and then the number of operations is what counts.
//
//  * lambda of the next step and mu of this one are (h^2/2) T / m + O(h^3) with the same tension T, and
//    exchange roles under time reversal; so omega = lambda - mu is O(h^3), and quadratic extrapolation of it,
//    lambda = mu + 3 omega_1 - 3 omega_2 + omega_3, leaves an error O(h^6).
//  * Newton's divisor is q.Q for the predicted Q = (1 - lambda) q + u - c e_y.  As |q|^2 = l^2 and q.u = 0,
//  it
//    equals l^2 (1 - e) with e = lambda + c y / l^2 = O(h^2), and 1 / (1 - e) = 1 + e + e^2 + O(h^6).
//  * The residual at the corrected Q is tested in every step.  A vector with a lane that fails the
//    test iterates until no lane does; lanes which have converged are frozen.
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <limits>

#include "pendulum.hpp"

namespace cotangent::tuned {

namespace pendulum_detail {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif

typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
typedef long long Bits __attribute__((vector_size(lanes * sizeof(double))));
typedef double LooseVector __attribute__((vector_size(lanes * sizeof(double)), aligned(8), may_alias));

inline Vector load(const double* a) { return *reinterpret_cast<const LooseVector*>(a); }
inline void store(double* a, Vector v) { *reinterpret_cast<LooseVector*>(a) = v; }
inline Vector magnitude(Vector a) { return (Vector)((Bits)a & 0x7fffffffffffffffLL); }

/// A bit per lane: is |a| <= bound false?
inline unsigned exceeds(Vector a, Vector bound) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)magnitude(a), (__m512d)bound, _CMP_NLE_UQ);
#elif defined(__AVX__)
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)magnitude(a), (__m256d)bound, _CMP_NLE_UQ));
#else
  unsigned result = 0;
  for (int i = 0; i < lanes; ++i) result |= !(std::abs(a[i]) <= bound[i]) ? 1u << i : 0u;
  return result;
#endif
}

}  // namespace pendulum_detail

/// Arrays of one entry per trajectory; omega_k are starting guesses, zero will do.
struct PendulumEnsemble {
  long count;
  double *x, *y, *px, *py;
  double* omega[3];
};

struct PendulumEnsembleReport {
  long corrections = 0;  // of all steps of all vectors together
  long vector_steps = 0;
  bool converged = true;
};

namespace pendulum_detail {

struct Unsolved {
  Vector x, y, vx, vy, lambda;
};

/// Newton's method for one vector, from the lambda given until all lanes have converged; lanes which have are
/// frozen.  Returns the number of corrections, or -1 if it failed.  Kept out of the loop over the steps,
/// which needs all registers.
[[gnu::noinline, gnu::cold]] inline int solve(Unsolved& s, Vector length2, Vector tolerance) {
  for (int k = 0; k < 50; ++k) {
    const Vector qx = s.x + (s.vx - s.lambda * s.x), qy = s.y + (s.vy - s.lambda * s.y);
    const Vector residual = qy * qy + (qx * qx - length2);
    if (exceeds(residual, tolerance) == 0) return k;
    const Vector change = residual / (2.0 * (s.x * qx + s.y * qy));
    s.lambda += magnitude(residual) <= tolerance ? Vector{} : change;
  }
  return -1;
}

/// Advances the n vectors of trajectories that begin at index `first`.
template <int n>
[[gnu::noinline]] void advance_group(const Pendulum& system, const PendulumEnsemble& s, long first, double h,
                                     long steps, PendulumEnsembleReport& report) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double scale = h / system.mass, inverse_scale = system.mass / h;
  const double l2 = system.length * system.length;
  const Vector zero = {};
  const Vector kick = zero + 0.5 * h * h * system.gravity, kick_l2 = kick / l2;
  const Vector length2 = zero + l2, inverse_l2 = zero + 1.0 / l2, half_inverse_l2 = zero + 0.5 / l2;
  const Vector tolerance = zero + 4.0 * eps * l2;

  // All loops over the vectors must be unrolled, or the arrays stay in memory.
  Vector x[n], y[n], vx[n], vy[n], mu[n], o1[n], o2[n], o3[n];
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) {
    const long at = first + i * lanes;
    x[i] = load(s.x + at);
    y[i] = load(s.y + at);
    vx[i] = scale * load(s.px + at);
    vy[i] = scale * load(s.py + at) - kick;
    o1[i] = load(s.omega[0] + at);
    o2[i] = load(s.omega[1] + at);
    o3[i] = load(s.omega[2] + at);
    // mu of the step before is not kept; to leading order it is the multiplier of a uniform circular motion.
    mu[i] = 0.5 * inverse_l2 * (vx[i] * vx[i] + vy[i] * vy[i] - 2.0 * kick * y[i]);
  }
  long extra = 0;
  for (long step = 0; step < steps; ++step) {
    Vector ux[n], uy[n], qx[n], qy[n], lambda[n];
    unsigned unsolved = 0;
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
      const Vector guess = (mu[i] + o3[i]) + 3.0 * (o1[i] - o2[i]);
      const Vector keep = 1.0 - guess;
      const Vector ax = keep * x[i] + vx[i], ay = keep * y[i] + vy[i];
      const Vector r = ay * ay + (ax * ax - length2);
      const Vector e = kick_l2 * y[i] + guess;
      const Vector kappa = half_inverse_l2 * (e * e + e) + half_inverse_l2;
      lambda[i] = r * kappa + guess;
      ux[i] = vx[i] - lambda[i] * x[i];
      uy[i] = vy[i] - lambda[i] * y[i];
      qx[i] = x[i] + ux[i];
      qy[i] = y[i] + uy[i];
      unsolved |= exceeds(qy[i] * qy[i] + (qx[i] * qx[i] - length2), tolerance);
    }
    if (unsolved != 0) [[unlikely]] {
#pragma GCC unroll 4
      for (int i = 0; i < n; ++i) {
        Unsolved u = {x[i], y[i], vx[i], vy[i], lambda[i]};
        const int count = solve(u, length2, tolerance);
        extra += count;
        if (count < 0) report.converged = false;
        lambda[i] = u.lambda;
        ux[i] = vx[i] - lambda[i] * x[i];
        uy[i] = vy[i] - lambda[i] * y[i];
        qx[i] = x[i] + ux[i];
        qy[i] = y[i] + uy[i];
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
      const Vector omega = lambda[i] - mu[i];
      o3[i] = o2[i];
      o2[i] = o1[i];
      o1[i] = omega;
      const Vector ty = uy[i] - kick;
      mu[i] = (qx[i] * ux[i] + qy[i] * ty) * inverse_l2;
      x[i] = qx[i];
      y[i] = qy[i];
      vx[i] = ux[i] - mu[i] * qx[i];
      vy[i] = (ty - mu[i] * qy[i]) - kick;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) {
    const long at = first + i * lanes;
    store(s.x + at, x[i]);
    store(s.y + at, y[i]);
    store(s.px + at, inverse_scale * vx[i]);
    store(s.py + at, inverse_scale * (vy[i] + kick));
    store(s.omega[0] + at, o1[i]);
    store(s.omega[1] + at, o2[i]);
    store(s.omega[2] + at, o3[i]);
  }
  report.corrections += n * steps + extra;
  report.vector_steps += n * steps;
}

}  // namespace pendulum_detail

/// Advances every trajectory of the ensemble by `steps` steps of size h.
inline PendulumEnsembleReport advance(const Pendulum& system, const PendulumEnsemble& ensemble, double h, long steps) {
  using namespace pendulum_detail;
  PendulumEnsembleReport report;
  if (steps <= 0) return report;
  long first = 0;
  for (; first + 4 * lanes <= ensemble.count; first += 4 * lanes)
    advance_group<4>(system, ensemble, first, h, steps, report);
  for (; first + 2 * lanes <= ensemble.count; first += 2 * lanes)
    advance_group<2>(system, ensemble, first, h, steps, report);
  for (; first + lanes <= ensemble.count; first += lanes) advance_group<1>(system, ensemble, first, h, steps, report);
  if (const long rest = ensemble.count - first; rest > 0) {
    // An incomplete vector is filled up with copies of its last trajectory.
    double buffer[7][lanes];
    double* fields[7] = {ensemble.x,        ensemble.y,        ensemble.px,      ensemble.py,
                         ensemble.omega[0], ensemble.omega[1], ensemble.omega[2]};
    for (int f = 0; f < 7; ++f)
      for (long i = 0; i < lanes; ++i) buffer[f][i] = fields[f][first + (i < rest ? i : rest - 1)];
    const PendulumEnsemble copy = {lanes,     buffer[0], buffer[1],
                                   buffer[2], buffer[3], {buffer[4], buffer[5], buffer[6]}};
    advance_group<1>(system, copy, 0, h, steps, report);
    for (int f = 0; f < 7; ++f)
      for (long i = 0; i < rest; ++i) fields[f][first + i] = buffer[f][i];
  }
  return report;
}

}  // namespace cotangent::tuned
