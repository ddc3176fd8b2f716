#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/analyze/stability/linearised_field.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "tests/formulation/field_of.hpp"
#include "tests/support/mechanisms.hpp"

// Eigenvalues at points, as the papers print them, and the matrix of the residuals against differences in Quad.

namespace cotangent {
namespace {

using test::Problem;

struct Linearised {
  explicit Linearised(const Problem& problem, const std::string& formulation, std::uint64_t seed = 0,
                      const FormulationOptions& options = {})
      : z(test::converted<double>(test::consistent_point(problem, seed))) {
    test::Instance<double> instance(problem);
    LinearisedField field(std::make_shared<const CompiledModel>(instance.elements, Backend::interpreter), formulation,
                          options, {});
    const auto found = field.at(z);
    if (!found) throw std::runtime_error("there is no field");
    here = *found;
  }
  PhasePoint<double> z;
  LinearisedField::Derivatives here;
};

void expect_same(std::vector<Complex> found, const std::vector<Complex>& expected, double error = 1e-10) {
  ASSERT_EQ(found.size(), expected.size());
  for (const Complex& x : expected) {
    const auto nearest = std::min_element(found.begin(), found.end(), [&](const Complex& a, const Complex& b) {
      return std::abs(a - x) < std::abs(b - x);
    });
    EXPECT_LE(std::abs(*nearest - x), error) << x << " is not there, but " << *nearest;
    found.erase(nearest);
  }
}

Problem pendulum(const std::string& hamiltonian) {
  return {.name = "pendulum", .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = ")toml" + hamiltonian + R"toml("
[constraints]
rod = "(x^2 + y^2 - 1)/2 = 0"
[initial]
x = 0.6
y = -0.8
p_x = 1.2
p_y = 0.9
)toml"};
}

const Problem kHeavy = pendulum("(p_x^2 + p_y^2)/2 + y");
constexpr double kY = -0.8, kPP = 2.25;  // y and p'p at the point

TEST(Figures, OfTheClassicalEquationsAreThoseOfSeiler) {  // (42)
  const Linearised found(kHeavy, "standard");
  const double p = std::sqrt(kPP), w = std::sqrt(kPP - kY);
  expect_same(eigenvalues(found.here.field), {p, -p, {0, w}, {0, -w}});
  expect_same(eigenvalues(found.here.residuals), {0, 0}, 1e-7);  // a Jordan block: g' = psi
}

TEST(Figures, OfTheTotalHamiltonianAreThoseOfSeiler) {  // (49), pi^2 = p'p and cos xi = y
  const double sigma = std::sqrt(4 * kPP - kY);
  expect_same(eigenvalues(Linearised(kHeavy, "total").here.residuals), {sigma, -sigma});
  expect_same(eigenvalues(Linearised(kHeavy, "dirac").here.residuals), {{0, sigma}, {0, -sigma}});
}

TEST(Figures, OfImpetusAreThoseOfSeiler) {  // (50): 0 is double, with one eigenvector
  const double p = std::sqrt(kPP);
  const Linearised found(kHeavy, "impetus");
  expect_same(eigenvalues(found.here.field), {p, -p, 0, 0}, 1e-7);
  EXPECT_EQ(found.here.residuals.rows, 1U);  // psi = 0 by construction
  EXPECT_LE(norm(found.here.residuals), 1e-14);
}

TEST(Figures, OfTheModifiedHamiltonianAreThoseOfSeiler) {  // (52), (53): nu = x p_y - y p_x
  const Linearised found(pendulum("(x^2 + y^2)*(p_x^2 + p_y^2)/2 + y"), "impetus");
  const double nu = 0.6 * 0.9 + 0.8 * 1.2;
  expect_same(eigenvalues(found.here.field), {{0, nu}, {0, -nu}, {0, std::sqrt(3.0) * nu}, {0, -std::sqrt(3.0) * nu}});
}

// (49) before it is linearised, with r = 2 zeta + 1:
//   zeta' = (2 - 1/r) rho... and under a position projection that keeps zeta = zeta_0 a Riccati equation,
//   rho' = zeta (sigma^2 + 4 rho^2) + O(zeta^2),  sigma^2 = 4 pi^2 - cos xi.
TEST(Figures, RatesOffTheManifoldFollowTheRiccatiEquationOfSeiler) {
  test::Instance<double> instance(kHeavy);
  LinearisedField field(std::make_shared<const CompiledModel>(instance.elements, Backend::interpreter), "total", {},
                        {});
  const double xi = 2.4, pi_xi = 1.3;
  for (const double zeta : {1e-4, 2e-4}) {
    for (const double rho : {0.0, 0.5, -1.0}) {
      const double r = std::sqrt(2 * zeta + 1);
      PhasePoint<double> z(2);
      z.q = {r * std::sin(xi), r * std::cos(xi)};
      // The canonical transformation (45).
      z.p = {(pi_xi * std::cos(xi) + rho * std::sin(xi)) / r, (-pi_xi * std::sin(xi) + rho * std::cos(xi)) / r};
      const auto rates = field.residual_rates(z);
      ASSERT_TRUE(rates);
      const double expected = zeta * (4 * pi_xi * pi_xi - std::cos(xi) + 4 * rho * rho);
      EXPECT_NEAR((*rates)[1], expected, 60 * zeta * zeta) << zeta << ", " << rho;
    }
  }
}

// (3.11)-(3.14) for affine constraints and a quadratic F: r' = +-s, s' = B r with B = G F'' G'R^-1 where M = 1.
TEST(Figures, OfLinearConstraintsAreThoseOfLeimkuhlerAndReich) {
  const Problem linear{.name = "linear", .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + x^2 + 3*y^2/2 + 2*z^2 + x*y/2"
[constraints]
sum = "x + 2*y + 2*z = 0"
[initial]
x = 0.2
y = 0.4
z = -0.5
p_x = 1
p_y = 0.5
p_z = -1
)toml"};
  // G F'' G' / G G' with F'' = [[2, 1/2, 0], [1/2, 3, 0], [0, 0, 4]] and G = (1, 2, 2).
  const double B = (2 + 2 * 0.5 * 2 + 3 * 4 + 4 * 4) / 9.0, root = std::sqrt(B);
  expect_same(eigenvalues(Linearised(linear, "total").here.residuals), {root, -root});
  expect_same(eigenvalues(Linearised(linear, "dirac").here.residuals), {{0, root}, {0, -root}});
  EXPECT_LE(norm(Linearised(linear, "dirac-weak").here.residuals), 1e-14);
  const Matrix standard = Linearised(linear, "standard").here.residuals;
  Matrix expected(2, 2);
  expected(0, 1) = 1;
  EXPECT_LE(norm(sum(standard, -1, expected)), 1e-14);
}

// Section 3.6, without a potential: a centre and a saddle with the frequency 2 |p|.
TEST(Figures, OfTheFreePendulumAreACentreAndASaddle) {
  const Problem free = pendulum("(p_x^2 + p_y^2)/2");
  const double w = 2 * std::sqrt(kPP);
  expect_same(eigenvalues(Linearised(free, "dirac").here.residuals), {{0, w}, {0, -w}});
  expect_same(eigenvalues(Linearised(free, "total").here.residuals), {w, -w});
}

// Against differences of the field in Quad, (3.17)-(3.20) among them: see residual_dynamics_test.cpp.
TEST(ResidualMatrix, IsTheDerivativeOfTheRates) {
  for (const char* name :
       {"pendulum", "ellipsoid", "spherical_metric", "relativistic", "double_pendulum", "group_constraint"}) {
    const Problem& problem = test::problem(name);
    for (const char* formulation : {"standard", "total", "dirac", "dirac-weak", "baumgarte", "ggl"}) {
      const auto expected = test::FieldOf(problem, formulation).residual_matrix(test::point_on_manifold(problem));
      const Matrix found = Linearised(problem, formulation, 1).here.residuals;
      ASSERT_EQ(found.rows, expected.size());
      double size = 1, defect = 0;
      for (std::size_t i = 0; i < found.rows; ++i)
        for (std::size_t j = 0; j < found.columns; ++j) {
          size = std::max(size, std::abs(static_cast<double>(expected[i][j])));
          defect = std::max(defect, std::abs(found(i, j) - static_cast<double>(expected[i][j])));
        }
      EXPECT_LE(defect, 1e-10 * size) << formulation << " on " << name;
    }
  }
}

// In positions and velocities they are those of `standard`.
TEST(ResidualMatrix, OfLagrangesEquationsOfTheFirstKindIsThatOfStandard) {
  for (const char* name : {"double_pendulum", "spherical_metric", "relativistic"}) {
    const Problem& problem = test::problem(name);
    const Matrix a = Linearised(problem, "standard", 1).here.residuals,
                 b = Linearised(problem, "lagrange-1", 1).here.residuals;
    EXPECT_LE(norm(sum(a, -1, b)), 1e-10) << name;
  }
}

// Forms that never leave the manifold have no residuals.
TEST(ResidualMatrix, IsEmptyWhereNothingIsLeftOpen) {
  for (const char* name : {"state-space", "state-space-velocity"})
    EXPECT_EQ(Linearised(test::problem("double_pendulum"), name).here.residuals.rows, 0U) << name;
}

}  // namespace
}  // namespace cotangent
