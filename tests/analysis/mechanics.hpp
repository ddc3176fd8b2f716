#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cotangent {

/// Small mechanical systems H = |p|^2/2 + V(q) and methods for them, enough to make energy errors of every kind.
template <std::size_t N>
struct State {
  std::array<double, N> q{}, p{};
};

struct Pendulum {
  static constexpr std::size_t kSize = 1;
  double potential(const std::array<double, 1>& q) const { return -std::cos(q[0]); }
  std::array<double, 1> force(const std::array<double, 1>& q) const { return {-std::sin(q[0])}; }
};

struct Oscillator {
  static constexpr std::size_t kSize = 1;
  double omega = 1;
  double potential(const std::array<double, 1>& q) const { return omega * omega * q[0] * q[0] / 2; }
  std::array<double, 1> force(const std::array<double, 1>& q) const { return {-omega * omega * q[0]}; }
};

/// Regular motion at small energies, almost everywhere chaotic at E = 1/6.
struct HenonHeiles {
  static constexpr std::size_t kSize = 2;
  double potential(const std::array<double, 2>& q) const {
    return (q[0] * q[0] + q[1] * q[1]) / 2 + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3;
  }
  std::array<double, 2> force(const std::array<double, 2>& q) const {
    return {-q[0] - 2 * q[0] * q[1], -q[1] - q[0] * q[0] + q[1] * q[1]};
  }
};

struct Kepler {
  static constexpr std::size_t kSize = 2;
  double potential(const std::array<double, 2>& q) const { return -1 / std::hypot(q[0], q[1]); }
  std::array<double, 2> force(const std::array<double, 2>& q) const {
    const double r = std::hypot(q[0], q[1]);
    return {-q[0] / (r * r * r), -q[1] / (r * r * r)};
  }
};

template <class System>
using StateOf = State<System::kSize>;

template <class System>
double energy(const System& system, const StateOf<System>& z) {
  double sum = system.potential(z.q);
  for (const double p : z.p) sum += p * p / 2;
  return sum;
}

/// q += a v, p += b w
template <std::size_t N>
State<N> moved(State<N> z, double a, const std::array<double, N>& v, double b, const std::array<double, N>& w) {
  for (std::size_t i = 0; i < N; ++i) {
    z.q[i] += a * v[i];
    z.p[i] += b * w[i];
  }
  return z;
}

/// Symplectic, symmetric, of order 2.
template <class System>
void leapfrog(const System& system, double h, StateOf<System>& z) {
  z = moved(z, 0, z.p, h / 2, system.force(z.q));
  z = moved(z, h, z.p, 0, z.p);
  z = moved(z, 0, z.p, h / 2, system.force(z.q));
}

/// Three leapfrog steps that make order 4.
template <class System>
void triple_jump(const System& system, double h, StateOf<System>& z) {
  const double outer = 1 / (2 - std::cbrt(2.));
  leapfrog(system, outer * h, z);
  leapfrog(system, (1 - 2 * outer) * h, z);
  leapfrog(system, outer * h, z);
}

/// The classical method: neither symplectic nor symmetric.
template <class System>
void rk4(const System& system, double h, StateOf<System>& z, double friction = 0) {
  using Vector = std::array<double, System::kSize>;
  const auto force = [&](const StateOf<System>& at) {
    Vector f = system.force(at.q);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] -= friction * at.p[i];
    return f;
  };
  const StateOf<System> a = z;
  const Vector fa = force(a);
  const StateOf<System> b = moved(z, h / 2, a.p, h / 2, fa);
  const Vector fb = force(b);
  const StateOf<System> c = moved(z, h / 2, b.p, h / 2, fb);
  const Vector fc = force(c);
  const StateOf<System> d = moved(z, h, c.p, h, fc);
  const Vector fd = force(d);
  for (std::size_t i = 0; i < fa.size(); ++i) {
    z.q[i] += h / 6 * (a.p[i] + 2 * b.p[i] + 2 * c.p[i] + d.p[i]);
    z.p[i] += h / 6 * (fa[i] + 2 * fb[i] + 2 * fc[i] + fd[i]);
  }
}

/// The mean of the midpoint rule and the trapezoidal rule, z' = z + h (2 f(middle) + f(z) + f(z'))/4: symmetric, but
/// not symplectic.
template <class System>
void midpoint_and_trapezoid(const System& system, double h, StateOf<System>& z) {
  using Vector = std::array<double, System::kSize>;
  const Vector f_old = system.force(z.q);
  StateOf<System> next = moved(z, h, z.p, h, f_old);
  for (int iteration = 0; iteration < 100; ++iteration) {
    StateOf<System> middle = z, better = z;
    for (std::size_t i = 0; i < f_old.size(); ++i) middle.q[i] = (z.q[i] + next.q[i]) / 2;
    const Vector f_middle = system.force(middle.q), f_new = system.force(next.q);
    double change = 0;
    for (std::size_t i = 0; i < f_old.size(); ++i) {
      better.q[i] += h * (z.p[i] + next.p[i]) / 2;
      better.p[i] += h * (2 * f_middle[i] + f_old[i] + f_new[i]) / 4;
      change = std::max({change, std::abs(better.q[i] - next.q[i]), std::abs(better.p[i] - next.p[i])});
    }
    next = better;
    if (change < 1e-16) break;
  }
  z = next;
}

/// Reversible steps of Kepler's problem whose length follows the distance from the centre, eps/rho with
/// rho(q) = r^(-3/2): 1/step is carried along and moved by half steps, as 1/s' = 1/s + d rho/dt.
class ReversibleSteps {
 public:
  ReversibleSteps(double eps, const State<2>& z) : eps_(eps), rho_(density(z)) { rho_ += eps_ / 2 * rate(z); }

  /// @return the length of the step made.
  double step(State<2>& z) {
    const double h = eps_ / rho_;
    leapfrog(Kepler{}, h, z);
    rho_ += eps_ * rate(z);
    return h;
  }

 private:
  static double density(const State<2>& z) { return std::pow(std::hypot(z.q[0], z.q[1]), -1.5); }
  // (d rho/dt)/rho
  static double rate(const State<2>& z) {
    return -1.5 * (z.q[0] * z.p[0] + z.q[1] * z.p[1]) / (z.q[0] * z.q[0] + z.q[1] * z.q[1]);
  }

  double eps_, rho_;
};

}  // namespace cotangent
