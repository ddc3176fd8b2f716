// RATTLE for the planar pendulum in Cartesian coordinates, written by hand: one trajectory, scalar.
//
//   H = (px^2 + py^2) / (2 m) + m g y,    g(q) = (x^2 + y^2 - l^2) / 2.
//
// One step, with u = (h/m) p the displacement per step, c = h^2 g / 2 and multipliers scaled likewise:
//
//   u' = u - c e_y - lambda q,    Q = q + u',            |Q|^2 = l^2,
//   U  = u' - c e_y - mu Q,       mu = Q.(u' - c e_y) / l^2,  so that Q.U = 0.
//
// What makes it fast is what bounds it: the latency of the chain of operations from one step to the next.
//
//  * mu Q and the next step's lambda Q act along the same vector.  So the next u' is
//    u' - 2 c e_y - sigma Q with the one unknown sigma = mu + lambda, and need not wait for U.  U is still
//    computed (and its tangency checked) in every step, beside the critical chain instead of in it.
//  * sigma is smooth in time, hence extrapolated from the three steps before it: an error O(h^5) in Q.
//  * One correction Q -= r kappa q with r = |Q|^2 - l^2 then suffices as a rule.  Newton's kappa is
//    1 / (2 q.Q), and since |q| = |Q| = l, 2 q.Q = 2 l^2 - |Q - q|^2.  Taking |Q - q|^2 of the previous step
//    and the first two terms of the series in rho = |Q - q|^2 / (2 l^2), the correction is a chord step with
//    a rate of about rho h; no division remains.
//  * x and y share one register of two doubles, which halves the number of operations; the scalars r, sigma,
//    kappa live in both halves of theirs.  A dot product is a product, a swap and an addition.
//  * The residual at the corrected Q is tested in every step; the branch is predicted, so that the test costs
//    no latency.  A step which fails it (the first ones, or a step too long for the prediction) iterates on.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotangent::tuned {

struct Pendulum {
  double mass = 1.0;
  double length = 1.0;
  double gravity = 1.0;
};

struct PendulumState {
  double x, y, px, py;
  // The multipliers sigma of the last three steps, newest first: a starting guess only, zero will do.
  double sigma[3] = {0.0, 0.0, 0.0};
};

struct PendulumReport {
  long corrections = 0;       // of all steps together
  double max_position = 0.0;  // max |x^2 + y^2 - l^2| / 2 over the steps
  double max_velocity = 0.0;  // max |q.P| / m over the steps
  bool converged = true;
};

namespace pendulum_detail {

typedef double Pair __attribute__((vector_size(16)));
typedef long long PairBits __attribute__((vector_size(16)));

inline Pair both(double a) { return Pair{a, a}; }
inline Pair swapped(Pair a) { return __builtin_shuffle(a, PairBits{1, 0}); }
/// The sum of both entries, in both entries.
inline Pair total(Pair a) { return a + swapped(a); }
inline Pair magnitude(Pair a) { return (Pair)((PairBits)a & 0x7fffffffffffffffLL); }

}  // namespace pendulum_detail

/// Advances by `steps` steps of size h.
inline PendulumReport advance(const Pendulum& system, PendulumState& state, double h, long steps) {
  using namespace pendulum_detail;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  PendulumReport report;
  if (steps <= 0) return report;
  const double scale = h / system.mass;
  const double l2 = system.length * system.length;
  const Pair kick = {0.0, 0.5 * h * h * system.gravity}, two_kicks = kick + kick;
  const Pair half_l2 = both(0.5 * l2), inverse_l2 = both(1.0 / l2);
  const Pair kappa0 = both(0.5 / l2), kappa1 = both(0.5 / (l2 * l2));
  // |Q|^2 - l^2 of a Q rounded to double is as large as eps l^2, and so is its own evaluation.
  const double tolerance = 4.0 * eps * l2;

  Pair q = {state.x, state.y};
  // v = u' - 2 c e_y, the displacement before the multiplier of the next step acts.  The step before the
  // first one had mu = 0 as seen from here, v = u - c e_y; so the first multiplier found is lambda alone,
  // half of sigma to leading order.
  Pair v = Pair{scale * state.px, scale * state.py} - kick;
  Pair s1 = both(state.sigma[0]), s2 = both(state.sigma[1]), s3 = both(state.sigma[2]);
  Pair guess = 0.5 * s1, keep = 1.0 - guess;
  Pair square = total(v * v), older_square = square;
  Pair kappa = kappa0 + kappa1 * (0.5 * square);
  Pair full = v;
  Pair worst_position = both(0.0), worst_velocity = both(0.0);
  long extra = 0;
  for (long n = 0; n < steps; ++n) {
    // The chain from step to step: predicted Q, r, Q.  keep q + v, keep = 1 - guess, is rounded, and the
    // rounding error is part of the r that is corrected.
    const Pair predicted = keep * q + v;
    const Pair r = total(predicted * predicted - half_l2);
    const Pair kq = kappa * q;
    Pair next = predicted - r * kq;
    // Beside it, the half-step displacement: u' = v - sigma q with sigma = guess + r kappa.
    v = (v - two_kicks - guess * q) - r * kq;
    Pair sigma = guess + r * kappa;
    // Cubic extrapolation 4 sigma - 6 s1 + 4 s2 - s3, split so that only one operation waits for r.
    const Pair known = 4.0 * s2 - (6.0 * s1 + s3);
    const Pair known_guess = known + 4.0 * guess, four_kappa = 4.0 * kappa;
    keep = (1.0 - known_guess) - r * four_kappa;
    guess = known_guess + r * four_kappa;
    Pair residual = total(next * next - half_l2);
    const bool unsolved = !(std::abs(residual[0]) <= tolerance);
    if (unsolved || n == 0) [[unlikely]] {
      for (int k = 0; k < 50 && !(std::abs(residual[0]) <= tolerance); ++k, ++extra) {
        const Pair step = residual / (2.0 * total(q * next));
        next -= step * q;
        v -= step * q;
        sigma += step;
        residual = total(next * next - half_l2);
      }
      if (!(std::abs(residual[0]) <= tolerance)) report.converged = false;
      if (n == 0) sigma *= 2.0;
      guess = known + 4.0 * sigma;
      keep = 1.0 - guess;
    }
    q = next;
    s3 = s2;
    s2 = s1;
    s1 = sigma;
    // kappa for the next step, with |Q - q|^2 extrapolated from the two steps before this one.
    kappa = kappa0 + kappa1 * (1.5 * square - older_square);
    const Pair u = v + two_kicks;
    older_square = square;
    square = total(u * u);
    // The full momentum of this step.
    const Pair pushed = v + kick;
    full = pushed - (total(q * pushed) * inverse_l2) * q;
    const Pair position = magnitude(residual), velocity = magnitude(total(q * full));
    worst_position = position > worst_position ? position : worst_position;
    worst_velocity = velocity > worst_velocity ? velocity : worst_velocity;
  }
  state = {q[0], q[1], full[0] / scale, full[1] / scale, {s1[0], s2[0], s3[0]}};
  report.corrections = steps + extra;
  report.max_position = 0.5 * worst_position[0];
  report.max_velocity = worst_velocity[0] / h;
  return report;
}

}  // namespace cotangent::tuned
