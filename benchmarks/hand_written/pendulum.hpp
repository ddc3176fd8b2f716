// RATTLE for the planar pendulum in Cartesian coordinates, by hand: the algorithm of the library, for one problem.
//
//   H = (px^2 + py^2) / (2 m) + m g y,    g(q) = (x^2 + y^2 - l^2) / 2
//
//   p' = p - h/2 m g e_y - lambda q,   Q = q + h p'/m,   0 = g(Q)       Newton, from lambda = mu + extrapolated jump
//   P  = p' - h/2 m g e_y - mu Q,      0 = Q.P
//
// T is double, or a pack of doubles: then each lane is a trajectory, and a step goes on until every lane has converged.
#pragma once

#include "cotangent/base/scalar.hpp"

namespace cotangent::hand_written {

struct Pendulum {
  double mass = 1, length = 1, gravity = 1;
};

template <class T>
struct PendulumState {
  T x, y, px, py;
  T mu = T(0), jump = T(0), jump_before = T(0);
};

/// @return whether every step converged to |g| <= 2 epsilon l^2.
template <class T>
bool advance(const Pendulum& system, PendulumState<T>& state, double h, long steps) {
  auto [x, y, px, py, mu, jump, jump_before] = state;
  const T w(1 / system.mass), l2(system.length * system.length), hw(h / system.mass);
  const T kick(h / 2 * system.mass * system.gravity), tolerance(2 * epsilon<double>() * lane(l2, 0));
  for (long step = 0; step < steps; ++step) {
    T lambda = mu + (T(2) * jump - jump_before);
    const T py_half = py - kick;
    T qx, qy, kx, ky;
    bool converged = false;
    for (int iteration = 0; iteration < 20; ++iteration) {
      kx = fma(-lambda, x, px);
      ky = fma(-lambda, y, py_half);
      qx = fma(hw, kx, x);
      qy = fma(hw, ky, y);
      const T g = T(0.5) * (fma(qx, qx, qy * qy) - l2);
      converged = all(abs(g) <= tolerance);
      if (converged) break;
      lambda += g / (hw * fma(qx, x, qy * y));
    }
    if (!converged) return false;
    jump_before = jump;
    jump = lambda - mu;
    ky -= kick;
    mu = w * fma(qx, kx, qy * ky) / (w * fma(qx, qx, qy * qy));
    x = qx;
    y = qy;
    px = fma(-mu, qx, kx);
    py = fma(-mu, qy, ky);
  }
  state = {x, y, px, py, mu, jump, jump_before};
  return true;
}

}  // namespace cotangent::hand_written
