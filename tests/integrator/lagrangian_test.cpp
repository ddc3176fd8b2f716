#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/integrator/runner.hpp"

// Lagrangians whose L_vv is not positive definite: indefinite ones, and one that is singular at rest. All have
// solutions in closed form.

namespace cotangent {
namespace {

using test::Mechanism;
using test::Runner;
using Real = Quad;

struct Solved {
  Mechanism mechanism;
  std::function<std::vector<Real>(Real t)> q;
  Real end;
};

void PrintTo(const Solved& solved, std::ostream* out) { *out << solved.mechanism.name; }

// Bateman's pair of a damped and an amplified oscillator, L_vv = [[0, 1], [1, 0]] [bateman31]:
// x'' + c x' + k x = 0, y'' - c y' + k y = 0.
const Solved kBateman{{"bateman", R"toml(
[parameters]
c = 0.4
k = 2
[system]
coordinates = ["x", "y"]
lagrangian = "v_x*v_y + c/2*(x*v_y - y*v_x) - k*x*y"
[initial]
x = 1
y = 1
v_x = -0.2
v_y = 0.2
)toml"},
                      [](Real t) {
                        const Real w = sqrtq(2 - 0.04Q);
                        return std::vector<Real>{expq(-0.2Q * t) * cosq(w * t), expq(0.2Q * t) * cosq(w * t)};
                      },
                      1};

// On the hyperbola a = e^s, b = e^-s the kinetic energy v_a v_b is -s'^2: s' is constant. Neither L_vv nor the saddle
// matrix can be eliminated in a fixed order, and R = 2 a b.
const Solved kNull{{"null_coordinates", R"toml(
[system]
coordinates = ["a", "b"]
lagrangian = "v_a*v_b"
[constraints]
hyperbola = "a*b = 1"
[initial]
a = 1
b = 1
v_a = 0.7
v_b = -0.7
)toml"},
                   [](Real t) {
                     return std::vector<Real>{expq(0.7Q * t), expq(-0.7Q * t)};
                   },
                   1};

// The same curve as x = cosh s, y = sinh s, with a negative R = -4, beside a coordinate that has a positive mass.
const Solved kLorentz{{"lorentz", R"toml(
[system]
coordinates = ["x", "y", "u"]
lagrangian = "(v_y^2 - v_x^2)/2 + v_u^2/2 - u^2/2"
[constraints]
hyperbola = "x^2 - y^2 = 1"
[initial]
x = 1
y = 0
u = 1
v_x = 0
v_y = 0.7
v_u = 0
)toml"},
                      [](Real t) {
                        return std::vector<Real>{coshq(0.7Q * t), sinhq(0.7Q * t), cosq(t)};
                      },
                      1};

// p = v^3, and L_vv = 3 v^2 vanishes at rest, from where velocities are sought. p = 1 - t.
const Solved kQuartic{{"quartic", R"toml(
[system]
coordinates = ["x"]
lagrangian = "v_x^4/4 - x"
[initial]
x = 0
p_x = 1
)toml"},
                      [](Real t) { return std::vector<Real>{0.75Q * (1 - powq(1 - t, 4.0Q / 3))}; },
                      0.5Q};

class MotionOf : public testing::TestWithParam<Solved> {
 protected:
  double error(const std::string& method, int steps) const {
    Runner<Real> runner(GetParam().mechanism, method);
    const auto z = runner.run(steps, GetParam().end);
    const auto exact = GetParam().q(GetParam().end);
    Real worst = 0;
    for (std::size_t j = 0; j < exact.size(); ++j) worst = std::max(worst, std::abs(z->q[j] - exact[j]));
    return static_cast<double>(worst);
  }
};

TEST_P(MotionOf, RattleConvergesToItAtOrderTwo) {
  const double coarse = error("rattle", 20), fine = error("rattle", 40);
  EXPECT_GT(fine, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST_P(MotionOf, Rk4ConvergesToItAtOrderFour) {
  const double coarse = error("rk4", 20), fine = error("rk4", 40);
  EXPECT_GT(fine, 1e-14);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Every, MotionOf, testing::Values(kBateman, kNull, kLorentz, kQuartic),
                         [](const auto& each) { return each.param.mechanism.name; });

// From rest, where H_pp is infinite, and through a turning point. The exact x is -3/4 t^(4/3).
TEST(SingularAtRest, FallsFromRest) {
  Mechanism falling = kQuartic.mechanism;
  falling.text.replace(falling.text.find("p_x = 1"), 7, "v_x = 0");
  for (const char* method : {"rattle", "rk4"}) {
    Runner<double> runner(falling, method);
    ASSERT_EQ(runner.notes.size(), 1U);
    EXPECT_NE(runner.notes[0].find("singular at the initial velocities"), std::string::npos);
    const auto z = runner.run(1000, 1.0);
    EXPECT_NEAR(z->p[0], -1, 1e-13);
    EXPECT_NEAR(z->q[0], -0.75, 1e-4);
  }
}

// An indefinite mass H D H, H a reflection, with an eigenvalue that is nearly zero. Where a solve with it does not
// reach rounding there are no numbers, and a step that needs them says so.
Mechanism nearly_singular(double smallest, std::mt19937_64& random) {
  constexpr std::size_t n = 6;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> w(n);
  double square = 0;
  for (double& x : w) {
    x = uniform(random);
    square += x * x;
  }
  const auto H = [&](std::size_t i, std::size_t j) { return (i == j ? 1 : 0) - 2 * w[i] * w[j] / square; };
  std::string mass, start;
  for (std::size_t i = 0; i < n; ++i) {
    mass += i == 0 ? "[" : ", [";
    for (std::size_t j = 0; j < n; ++j) {
      double sum = smallest * H(i, 0) * H(j, 0);
      for (std::size_t k = 1; k < n; ++k)
        sum += (k % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(k + 1) * H(i, k) * H(j, k);
      mass += fmt::format("{}{:.17g}", j == 0 ? "" : ", ", sum);
    }
    mass += "]";
    start += i == 0 ? "0.5" : fmt::format(", {:.17g}", uniform(random));
  }
  return {"nearly_singular", "[parameters]\nA = [" + mass + R"toml(]
[system]
coordinates = ["x[6]"]
lagrangian = "sum(i in 1..6, j in 1..6, A[i,j]*v_x[i]*v_x[j]/2) - sum(i in 1..6, x[i]^2/2)"
[constraints]
wall = "x[1] = 0.5"
[initial]
v_x = 0
x = [)toml" + start + "]\n"};
}

TEST(NearlySingular, StepsWithoutSolutionsFail) {
  std::mt19937_64 random(1);
  int made = 0, failed = 0;
  for (double smallest = 1e-5; smallest > 1e-9; smallest /= 1.05) {
    Runner<double> runner(nearly_singular(smallest, random), "rk4");
    auto z = runner.start();
    std::vector<double> u = z->q;
    for (double& x : u) x = -x;
    runner.system.legendre()->solve_mass(z->q.data(), z->p.data(), 0.0, u.data());
    const bool has_numbers = std::all_of(u.begin(), u.end(), [](double x) { return std::isfinite(x); });
    const std::vector<double> before = z->q;
    const bool ok = runner.integrator->step(z, 1e-3).status == StepStatus::ok;
    EXPECT_TRUE(has_numbers || !ok) << smallest;
    EXPECT_TRUE(ok || z->q == before) << smallest;
    ++(has_numbers ? made : failed);
  }
  EXPECT_GT(made, 100);
  EXPECT_GT(failed, 0);
}

std::string refusal(const std::string& L, const std::string& initial) {
  try {
    Runner<double> runner(
        {"refused", "[system]\ncoordinates = [\"x\"]\nlagrangian = \"" + L + "\"\n[initial]\nx = 0\n" + initial});
    static_cast<void>(runner.start());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Velocities, ThatDoNotFollowFromTheMomentaAreRefused) {
  // |p| < 1 for every velocity.
  EXPECT_EQ(refusal("sqrt(1 + v_x^2)", "p_x = 0.9"), "");
  EXPECT_NE(refusal("sqrt(1 + v_x^2)", "p_x = 2").find("no velocities were found for the initial momenta"),
            std::string::npos);
  // p = v^3 - v: three velocities where |p| is small.
  EXPECT_EQ(refusal("v_x^4/4 - v_x^2/2", "v_x = 2"), "");
  EXPECT_NE(refusal("v_x^4/4 - v_x^2/2", "v_x = 1.1").find("v_x = 1.1 was given, but its momenta also have"),
            std::string::npos);
  EXPECT_NE(refusal("x*v_x - x^2", "v_x = 1").find("singular"), std::string::npos);
}

}  // namespace
}  // namespace cotangent
