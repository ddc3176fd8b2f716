#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/integrator/runner.hpp"

// In its first step a method knows no sizes: momenta and the work done begin at zero, or at a rounding error.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;

// A bead on a rod that turns, x = cos(sqrt(3) t) along it.
const Mechanism kTurningRod{"turning_rod", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 2*(x^2 + y^2)"
[constraints]
rod = "x*sin(t) - y*cos(t) = 0"
[initial]
x = 1
y = 0
v_x = 0
v_y = 1
)toml"};

const Mechanism kAlmostAtRest{"almost_at_rest", R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = "sin(pi/3)"
y = "-cos(pi/3)"
p_x = "0.5*cos(pi/2)"
p_y = "0.5*cos(pi/2)"
)toml"};

PhasePoint<double> after(const Mechanism& mechanism, int stages, FixedPointSolver solver, double h, int steps) {
  Runner<double> runner(mechanism);
  const auto method = find_method<double>("gauss:" + std::to_string(stages));
  runner.integrator = method.make(runner.manifold, "state-space", {}, {.solver = solver});
  auto z = runner.start();
  for (int k = 0; k < steps && runner.step(z, h); ++k) continue;
  return z;
}

double distance(const PhasePoint<double>& a, const PhasePoint<double>& b) {
  double most = std::abs(a.t - b.t);
  for (std::size_t j = 0; j < a.q.size(); ++j)
    most = std::max({most, std::abs(a.q[j] - b.q[j]), std::abs(a.p[j] - b.p[j])});
  return most;
}

double error(const PhasePoint<double>& z) {
  const double r = std::cos(std::sqrt(3.0) * z.t);
  return std::max(std::abs(z.q[0] - r * std::cos(z.t)), std::abs(z.q[1] - r * std::sin(z.t)));
}

TEST(FirstStep, IsTheSameWithAllSolvers) {
  for (const auto* mechanism : {&kTurningRod, &kAlmostAtRest})
    for (int stages = 2; stages <= 12; ++stages)
      for (const int steps : {1, 5}) {
        const auto functional = after(*mechanism, stages, FixedPointSolver::functional, 0.02, steps);
        for (const auto solver : {FixedPointSolver::newton, FixedPointSolver::automatic})
          EXPECT_LE(distance(after(*mechanism, stages, solver, 0.02, steps), functional), 2e-14)
              << mechanism->name << ", " << stages << " stages, " << steps << " steps";
      }
}

TEST(FirstStep, HasTheOrderOfTheMethod) {
  for (const auto solver : {FixedPointSolver::functional, FixedPointSolver::newton, FixedPointSolver::automatic}) {
    const auto measured = [solver](int stages, double h) { return error(after(kTurningRod, stages, solver, h, 1)); };
    for (const int stages : {2, 3}) {
      const double order = std::log2(measured(stages, 0.2) / measured(stages, 0.1)) - 1;
      EXPECT_GT(order, 2 * stages - 0.5);
      EXPECT_LT(order, 2 * stages + 1.5);
    }
    for (int stages = 4; stages <= 12; ++stages) EXPECT_LE(measured(stages, 0.02), 1e-15) << stages;
  }
}

}  // namespace
}  // namespace cotangent
