#include "benchmarks/peers/problems.hpp"

#include <fmt/format.h>

namespace cotangent::peers {

Pendulum pendulum(double end) {
  return {{.name = end > 1000 ? "P1-long" : "P1",
           .title = fmt::format("pendulum, t = {:g}", end),
           .model = "models/pendulum.toml",
           .set = {},
           .end = end,
           .wanted = end > 1000 ? 1e-6 : 1e-8,
           .start = {1, 0, 0, -2}}};
}

// Stretched out horizontally, at rest.
Chain chain(std::size_t N, double end) {
  Vector start(4 * N, 0.0);
  for (std::size_t i = 0; i < N; ++i) start[i] = static_cast<double>(i + 1);
  return {{.name = fmt::format("P2-{}", N),
           .title = fmt::format("chain of {} from horizontal rest, t = {:g}", N, end),
           .model = "models/chain.toml",
           .set = {fmt::format("N={}", N)},
           .end = end,
           .wanted = N > 100 ? 1e-7 : 1e-9,
           .start = std::move(start)},
          N};
}

// The helix of models/polymer.toml.
Polymer polymer(std::size_t N) {
  constexpr double kRadius = 0.8, kTurn = 1;
  const double side = 2 * kRadius * std::sin(kTurn / 2), rise = std::sqrt(1 - side * side);
  Vector start(6 * N, 0.0);
  for (std::size_t i = 0; i < N; ++i) {
    const auto k = static_cast<double>(i + 1);
    start[3 * i] = kRadius * std::cos(kTurn * k);
    start[3 * i + 1] = kRadius * std::sin(kTurn * k);
    start[3 * i + 2] = rise * k;
  }
  return {{.name = fmt::format("P4-{}", N),
           .title = fmt::format("chain of {} beads in space with an energy of angles, t = 2", N),
           .model = "models/polymer.toml",
           .set = {fmt::format("N={}", N)},
           .end = 2,
           .wanted = 1e-8,
           .start = std::move(start)},
          N};
}

// The crank stands at the angle 1 and turns at the rate 3. The end of the rocker is where the circles around both
// joints meet, above the line between these.
FourBar four_bar() {
  using F = FourBar;
  const double phi = 1, w = 3, bx = F::l1 * std::cos(phi), by = F::l1 * std::sin(phi);
  const double ex = F::d - bx, ey = -by, e2 = ex * ex + ey * ey;
  const double along = (F::l2 * F::l2 - F::l3 * F::l3 + e2) / (2 * e2);
  const double across = std::sqrt(F::l2 * F::l2 / e2 - along * along);
  const double ux = along * ex - across * ey, uy = along * ey + across * ex;
  const double b = std::atan2(uy, ux), c = std::atan2(by + uy, bx + ux - F::d);
  // G v = 0 for the rates of the coupler and of the rocker.
  const double s = F::l2 * F::l3 * std::sin(c - b);
  const double rate_b = -F::l1 * F::l3 * std::sin(c - phi) * w / s, rate_c = -F::l1 * F::l2 * std::sin(b - phi) * w / s;
  return {{.name = "P5",
           .title = "four-bar linkage in angles, t = 10",
           .model = "benchmarks/peers/models/four_bar_angles.toml",
           .set = {},
           .end = 10,
           .wanted = 1e-8,
           .start = {phi, b, c, w, rate_b, rate_c}}};
}

// Horizontal, at rest.
Arm arm(std::size_t N) {
  return {{.name = fmt::format("P7-{}", N),
           .title = fmt::format("arm of {} links in relative angles, t = 1", N),
           .model = "benchmarks/peers/models/arm.toml",
           .set = {fmt::format("N={}", N)},
           .end = 1,
           .wanted = 1e-8,
           .start = Vector(2 * N, 0.0)},
          N};
}

// The lattice of models/water_droplet.toml, at rest.
Droplet droplet(std::size_t L) {
  using Water = hand_written::Water;
  const double along = Water::kSide * std::sqrt(1.0 / 3), across = Water::kSide * std::sqrt(2.0 / 3);
  Vector start;
  for (std::size_t i = 0; i < L * L * L; ++i) {
    const std::size_t cell[] = {i % L, i / L % L, i / L / L}, layer = cell[0] + cell[1] + cell[2];
    for (int a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t axis = (c + layer) % 3;
        double site = 0;
        if (a > 0 && axis == 0) site = layer % 2 == 0 ? along : -along;
        if (a > 0 && axis == 1) site = a == 1 ? across : -across;
        start.push_back(Water::kCell * static_cast<double>(cell[c]) + site);
      }
  }
  start.resize(2 * start.size());
  return {{.name = L == 6 ? "P6" : fmt::format("P6-{}", L * L * L),
           .title = fmt::format("{} rigid waters from a lattice, all pairs, t = 0.01 ps", L * L * L),
           .model = "models/water_droplet.toml",
           .set = {fmt::format("L={}", L)},
           .end = 0.01,
           .wanted = 1e-5,
           .unit = 0.02,
           .start = std::move(start)},
          L};
}

}  // namespace cotangent::peers
