// Checks and times the hand-written integrators.  Stand-alone:
//   g++ -std=c++20 -O3 -march=native check.cpp -o /tmp/check && /tmp/check
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "chain.hpp"
#include "pendulum.hpp"
#include "pendulum_simd.hpp"

namespace {

using namespace cotangent::tuned;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

volatile double sink;       // so that a result counts as used
volatile double one = 1.0;  // so that the compiler does not know the parameters

Pendulum run_time_pendulum() { return {one, one, one}; }

constexpr PendulumState pendulum_start = {1.0, 0.0, 0.0, -2.0, {}};

double pendulum_energy(double x, double y, double px, double py) {
  (void)x;
  return 0.5 * (px * px + py * py) + y;
}

void check_pendulum() {
  const Pendulum system = run_time_pendulum();
  double best = 1e9;
  for (int repeat = 0; repeat < 50; ++repeat) {
    PendulumState state = pendulum_start;
    const double begin = seconds();
    advance(system, state, 0.01, 200000);
    best = std::min(best, seconds() - begin);
    sink = state.px;
  }
  // Energy errors over the first and the last tenth of a million steps, block by block.
  PendulumState state = pendulum_start;
  PendulumReport total;
  double early = 0.0, late = 0.0, g = 0.0, v = 0.0;
  for (int block = 0; block < 100000; ++block) {
    const PendulumReport r = advance(system, state, 0.01, 10);
    total.corrections += r.corrections;
    total.converged = total.converged && r.converged;
    g = std::max(g, r.max_position);
    v = std::max(v, r.max_velocity);
    const double error = std::abs(pendulum_energy(state.x, state.y, state.px, state.py) - 2.0);
    if (block < 10000) early = std::max(early, error);
    if (block >= 90000) late = std::max(late, error);
  }
  PendulumState run = pendulum_start;
  const PendulumReport whole = advance(system, run, 0.01, 1000000);
  std::printf("pendulum          %8.2f ns/step  corrections %.4f  |g| %.1e  |Gv| %.1e  energy %.3e, late %.3e %s\n",
              best * 5e3, 1e-6 * double(whole.corrections), std::max(g, whole.max_position),
              std::max(v, whole.max_velocity), early, late, total.converged && whole.converged ? "" : "NOT CONVERGED");
  double x[5];
  for (int k = 0; k < 5; ++k) {
    const int refine = k < 4 ? 1 << k : 64;
    PendulumState s = pendulum_start;
    advance(system, s, 0.01 / refine, 200 * refine);
    x[k] = std::atan2(s.x, -s.y);
  }
  std::printf("  order %.3f %.3f\n", std::log2((x[0] - x[4]) / (x[1] - x[4])),
              std::log2((x[1] - x[4]) / (x[2] - x[4])));
}

void check_ensemble(long count) {
  const Pendulum system = run_time_pendulum();
  std::vector<double> data(7 * count);
  double* a = data.data();
  const PendulumEnsemble ensemble = {
      count, a, a + count, a + 2 * count, a + 3 * count, {a + 4 * count, a + 5 * count, a + 6 * count}};
  const auto reset = [&] {
    std::fill(data.begin(), data.end(), 0.0);
    for (long i = 0; i < count; ++i) {
      // Trajectory 0 is that of the scalar code, the others differ in angle and speed.
      const double angle = 0.1 * double(i % 63), speed = -2.0 + 0.01 * double(i % 100);
      ensemble.x[i] = std::cos(angle);
      ensemble.y[i] = std::sin(angle);
      ensemble.px[i] = -std::sin(angle) * speed;
      ensemble.py[i] = std::cos(angle) * speed;
    }
  };
  const long steps = std::max(100L, 1000000 / count);
  double best = 1e9;
  PendulumEnsembleReport report;
  for (int repeat = 0; repeat < 40; ++repeat) {
    reset();
    const double begin = seconds();
    report = advance(system, ensemble, 0.01, steps);
    best = std::min(best, seconds() - begin);
  }
  reset();
  std::vector<double> energy(count);
  double g = 0.0, v = 0.0, e = 0.0;
  for (int block = 0; block <= 300; ++block) {
    for (long i = 0; i < count; ++i) {
      const double x = ensemble.x[i], y = ensemble.y[i], px = ensemble.px[i], py = ensemble.py[i];
      const double now = pendulum_energy(x, y, px, py);
      if (block == 0) energy[i] = now;
      g = std::max(g, 0.5 * std::abs(x * x + y * y - 1.0));
      v = std::max(v, std::abs(x * px + y * py));
      e = std::max(e, std::abs(now - energy[i]));
    }
    if (block < 300) advance(system, ensemble, 0.01, 3);
  }
  PendulumState scalar = pendulum_start;
  advance(system, scalar, 0.01, 900);
  const double difference = std::hypot(scalar.x - ensemble.x[0], scalar.y - ensemble.y[0]);
  std::printf("ensemble %6ld   %8.3f ns/step  corrections %.4f  |g| %.1e  |Gv| %.1e  energy %.3e  scalar %.1e %s\n",
              count, best * 1e9 / double(steps) / double(count),
              double(report.corrections) / double(report.vector_steps), g, v, e, difference,
              report.converged ? "" : "NOT CONVERGED");
}

struct ChainSample {
  std::vector<double> q, p;
  explicit ChainSample(long n) : q(2 * n), p(2 * n) {
    for (long i = 0; i < n; ++i) q[2 * i] = double(i + 1);
  }
};

void check_chain(long n, long steps) {
  const ChainSample start(n);
  Chain chain(n);
  double best = 1e9;
  ChainReport report;
  for (int repeat = 0; repeat < (n < 5000 ? 10 : 4); ++repeat) {
    chain.set(start.q.data(), start.p.data());
    const double begin = seconds();
    report = chain.advance(0.01, steps);
    best = std::min(best, seconds() - begin);
  }
  // g is also given in units of eps (1 + |x_i| + |y_i|), its rounding level.
  ChainSample s(n);
  chain.set(s.q.data(), s.p.data());
  double g = 0.0, ulps = 0.0, v = 0.0, e = 0.0, kinetic_scale = 1.0;
  for (long step = 0; step < std::min(steps, n < 5000 ? 1000L : 30L); ++step) {
    chain.advance(0.01, 1);
    chain.get(s.q.data(), s.p.data());
    double x0 = 0.0, y0 = 0.0, px0 = 0.0, py0 = 0.0, energy = 0.0, kinetic = 0.0;
    for (long i = 0; i < n; ++i) {
      const double x = s.q[2 * i], y = s.q[2 * i + 1], px = s.p[2 * i], py = s.p[2 * i + 1];
      const double dx = x - x0, dy = y - y0;
      const double residual = 0.5 * std::abs(dx * dx + dy * dy - 1.0);
      g = std::max(g, residual);
      ulps = std::max(ulps, residual / (2.220446049250313e-16 * (1.0 + std::abs(x) + std::abs(y))));
      v = std::max(v, std::abs(dx * (px - px0) + dy * (py - py0)));
      kinetic += 0.5 * (px * px + py * py);
      energy += 0.5 * (px * px + py * py) + y;
      x0 = x, y0 = y, px0 = px, py0 = py;
    }
    e = std::max(e, std::abs(energy));
    kinetic_scale = std::max(kinetic_scale, kinetic);
  }
  std::printf("chain %8ld    %8.2f ns/link  corrections %.4f  |g| %.1e (%.2f)  |Gv| %.1e  energy %.2e of %.1e %s\n", n,
              best * 1e9 / double(steps) / double(n), double(report.corrections) / double(steps), g, ulps, v, e,
              kinetic_scale, report.converged ? "" : "NOT CONVERGED");
}

void check_chain_order(long n) {
  std::vector<double> end[4];
  for (int k = 0; k < 4; ++k) {
    const int refine = k < 3 ? 1 << k : 32;
    ChainSample s(n);
    Chain chain(n);
    chain.set(s.q.data(), s.p.data());
    chain.advance(0.01 / refine, 300 * refine);
    chain.get(s.q.data(), s.p.data());
    end[k] = s.q;
  }
  double error[3] = {};
  for (int k = 0; k < 3; ++k)
    for (long i = 0; i < 2 * n; ++i) error[k] = std::max(error[k], std::abs(end[k][i] - end[3][i]));
  std::printf("  order (n = %ld) %.3f %.3f\n", n, std::log2(error[0] / error[1]), std::log2(error[1] / error[2]));
}

}  // namespace

int main() {
  check_pendulum();
  for (const long count : {64L, 100L, 1024L, 65536L}) check_ensemble(count);
  for (const long n : {3L, 10L, 20L, 50L, 100L, 200L, 500L, 1000L}) check_chain(n, 2000);
  check_chain(10000, 1000);
  check_chain(100000, 100);
  check_chain(1000000, 30);
  for (const long n : {7L, 10L, 33L, 99L}) check_chain_order(n);
}
