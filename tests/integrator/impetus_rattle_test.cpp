#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cotangent/integrator/registry/registry.hpp"
#include "tests/support/instance.hpp"

// The implicit midpoint rule on `impetus`, followed by the momentum projection p* <- p, is RATTLE where g is quadratic
// and the potential linear. With the strictions l of the midpoint and G_mid = (G(q) + G(Q))/2, its momentum there is
//
//   (p + P*)/2 - G_mid' l = p - h/2 V_q + (G(Q) - G(q))' l/2 - G_mid' l = p - h/2 V_q - G(q)' l,
//
// since h (l.g)''[v] = (G(Q) - G(q))' l: the first kick of RATTLE. The drift and g(Q) = 0 are the same, and
// P* = p - h V_q + (G(Q) - G(q))' l differs from RATTLE's momentum by a multiple of G(Q)', which is projected away.

namespace cotangent {
namespace {

using test::Problem;

const Problem kLinearLoop{.name = "linear_loop", .text = R"toml(
[parameters]
N = 5
[system]
coordinates = ["r[N,3]"]
hamiltonian = "sum(i in 1..N, sum(k in 1..3, p_r[i,k]^2/(1 + 0.5*i)) + (1 + 0.5*i)*(r[i,3]/2 + 0.2*r[i,1]))"
[constraints]
rod = { each = "i in 2..N", equation = "sum(k in 1..3, (r[i,k] - r[i-1,k])^2) = 1" }
closure = "(r[1,1] - r[N,1])^2 + (r[1,2] - r[N,2])^2 + (r[1,3] - r[N,3])^2 = 1"
support = "sum(k in 1..3, r[1,k]^2) = 1"
[initial]
r = [[0.8, 0.1, 0.2], [0.3, 0.8, -0.2], [-0.7, 0.5, 0.3], [-0.7, -0.5, -0.3], [0.2, -0.8, 0.1]]
p_r = "0.3*sin(i + 2*j)"
)toml"};

// The potential is linear, the constraint is no polynomial.
const Problem kLinearTorus{.name = "linear_torus", .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + 0.3*z + 0.2*x"
[constraints]
tube = "(sqrt(x^2 + y^2) - 1.5)^2 + z^2 = 0.36"
[initial]
x = 1.6
y = 1.0
z = 0.4
p_x = 0.3
p_y = -0.5
p_z = 0.6
)toml"};

template <class T>
struct Pair {
  explicit Pair(const Problem& problem, std::int64_t reset = 1)
      : instance(problem),
        midpoint(find_method<T>("implicit-midpoint").make(instance.manifold, "impetus", {.impetus_reset = reset})),
        rattle(find_method<T>("rattle").make(instance.manifold)),
        a(test::start<T>(problem)),
        b(a) {}

  /// The distance of both after some steps.
  double distance_after(int steps, T h) {
    for (int k = 0; k < steps; ++k) {
      EXPECT_EQ(midpoint->step(a, h).status, StepStatus::ok);
      EXPECT_EQ(rattle->step(b, h).status, StepStatus::ok);
    }
    return static_cast<double>(test::distance(a, b));
  }

  test::Instance<T> instance;
  std::unique_ptr<Integrator<T>> midpoint, rattle;
  Point<T> a, b;
};

const Problem* const kEqual[] = {&test::problem("pendulum"), &test::problem("double_pendulum"), &kLinearLoop};

TEST(ImpetusMidpoint, IsRattleForQuadraticConstraintsAndALinearPotential) {
  for (const Problem* problem : kEqual) {
    Pair<Quad> pair(*problem);
    const auto start = pair.a;
    EXPECT_LE(pair.distance_after(300, 0.02Q), 1e-26) << problem->name;
    EXPECT_GT(static_cast<double>(test::distance(pair.a, start)), 0.1) << problem->name;
  }
}

TEST(ImpetusMidpoint, IsRattleOverManyStepsInDouble) {
  EXPECT_LE(Pair<double>(test::problem("pendulum")).distance_after(5000, 0.05), 1e-12);
}

// A change of the strictions by constants, p* <- p* + G(q)' c, is an affine map of (q, p*) where g is quadratic. It
// commutes with the field, and therefore with every Runge-Kutta method: when impetuses are reset makes no difference.
TEST(ImpetusMidpoint, IsRattleWithoutResetsToo) {
  for (const Problem* problem : kEqual) {
    EXPECT_LE(Pair<Quad>(*problem, 0).distance_after(150, 0.02Q), 1e-26) << problem->name;
    EXPECT_LE(Pair<Quad>(*problem, 7).distance_after(150, 0.02Q), 1e-26) << problem->name;
  }
}

// Both have errors of the order h^3 in a step, and where V or g are of higher degree these are not the same.
TEST(ImpetusMidpoint, IsNotRattleOtherwise) {
  for (const Problem* problem : {&test::problem("loop"), &test::problem("ellipsoid"), &kLinearTorus}) {
    const double coarse = Pair<Quad>(*problem).distance_after(1, 0.05Q);
    const double fine = Pair<Quad>(*problem).distance_after(1, 0.025Q);
    EXPECT_GT(fine, 1e-8) << problem->name;
    EXPECT_NEAR(std::log2(coarse / fine), 3, 0.25) << problem->name;
  }
}

TEST(ImpetusMidpoint, DependsOnResetsWhereConstraintsAreNotQuadratic) {
  Pair<Quad> often(kLinearTorus, 1), never(kLinearTorus, 0);
  static_cast<void>(often.distance_after(20, 0.05Q));
  static_cast<void>(never.distance_after(20, 0.05Q));
  EXPECT_GT(static_cast<double>(test::distance(often.a, never.a)), 1e-8);
}

}  // namespace
}  // namespace cotangent
