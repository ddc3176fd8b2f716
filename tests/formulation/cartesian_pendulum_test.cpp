#include <gtest/gtest.h>

#include "tests/formulation/field_of.hpp"

// The planar pendulum in Cartesian coordinates, for which the papers write everything out: g = (q'q - 1)/2 and
// psi = q'p, without a potential in section 3.6 of [leimkuhler-reich94], under gravity in section 8 of [seiler99].

namespace cotangent {
namespace {

using test::FieldOf;
using test::Matrix;
using test::Problem;
using test::Vector;

Problem pendulum(const std::string& name, const std::string& potential) {
  return {.name = name,
          .text = R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 )toml" +
                  potential + R"toml("
[constraints]
rod = "(x^2 + y^2 - 1)/2 = 0"
[initial]
x = 0.6
y = -0.8
p_x = 1.2
p_y = 0.9
)toml"};
}

const Problem kFree = pendulum("free_pendulum", ""), kHeavy = pendulum("heavy_pendulum", "+ y");

constexpr double kRounding = 1e-30, kDifferenceLevel = 1e-19;

Quad dot(const Vector& a, const Vector& b) {
  Quad sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// What the formulas are written in.
struct Letters {
  explicit Letters(const Vector& z)
      : x(z[0]),
        y(z[1]),
        p_x(z[2]),
        p_y(z[3]),
        qq(x * x + y * y),
        pp(p_x * p_x + p_y * p_y),
        phi((qq - 1) / 2),
        psi(x * p_x + y * p_y),
        mu((pp - y) / qq) {}
  Quad x, y, p_x, p_y, qq, pp, phi, psi;
  Quad mu;  // under gravity
};

// rho = g, sigma = psi:  rho' = -sigma + sigma rho/(rho + 1/2),  sigma' = (2 p'p rho - sigma^2)/(rho + 1/2).
TEST(FreePendulum, HasTheResidualEquationsOfThePaperUnderDirac) {
  FieldOf dirac(kFree, "dirac");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_off_manifold(kFree, seed);
    const Letters at(z);
    const Quad half = static_cast<Quad>(0.5), rho = at.phi, sigma = at.psi;
    EXPECT_LE(test::largest_defect(dirac.chi_dot(z), {-sigma + sigma * rho / (rho + half),
                                                      (2 * at.pp * rho - sigma * sigma) / (rho + half)}),
              kRounding);
  }
}

// The same derivation for H + mu'g gives rho' = sigma (1 + rho/(rho + 1/2)), sigma' = 2 p'p rho/(rho + 1/2).
TEST(FreePendulum, HasTheResidualEquationsOfTheTotalHamiltonian) {
  FieldOf total(kFree, "total");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_off_manifold(kFree, seed);
    const Letters at(z);
    const Quad stretched = at.phi / (at.phi + static_cast<Quad>(0.5));
    EXPECT_LE(test::largest_defect(total.chi_dot(z), {at.psi * (1 + stretched), 2 * at.pp * stretched}), kRounding);
  }
}

// rho' = -+sigma, sigma' = 4 p'p rho. That p'p changes with rho and sigma is a matter of second order.
TEST(FreePendulum, SeesACentreUnderDiracAndASaddleUnderTotal) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_on_manifold(kFree, seed);
    const Quad stiffness = 4 * Letters(z).pp;
    EXPECT_LE(test::largest_defect(FieldOf(kFree, "dirac").residual_matrix(z), {{0, -1}, {stiffness, 0}}),
              kDifferenceLevel);
    EXPECT_LE(test::largest_defect(FieldOf(kFree, "total").residual_matrix(z), {{0, 1}, {stiffness, 0}}),
              kDifferenceLevel);
  }
}

TEST(HeavyPendulum, HasTheFieldsThatSeilerWritesDown) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_off_manifold(kHeavy, seed);
    const auto [x, y, p_x, p_y, qq, pp, phi, psi, mu] = Letters(z);
    EXPECT_LE(test::largest_defect(FieldOf(kHeavy, "standard")(z), {p_x, p_y, -mu * x, -mu * y - 1}),
              kRounding);  // (42)
    EXPECT_LE(test::largest_defect(FieldOf(kHeavy, "total")(z),
                                   {p_x + 2 * p_x / qq * phi, p_y + 2 * p_y / qq * phi, -mu * x + 2 * x * mu / qq * phi,
                                    -mu * y - 1 + (2 * y * mu + 1) / qq * phi}),
              kRounding);  // (43)
    EXPECT_LE(test::largest_defect(
                  FieldOf(kHeavy, "hamilton-dirac")(z),
                  {p_x - x / qq * psi, p_y - y / qq * psi, -mu * x + p_x / qq * psi, -mu * y - 1 + p_y / qq * psi}),
              kRounding);  // (44)
    const Quad l = psi / qq, v_x = p_x - l * x, v_y = p_y - l * y;
    EXPECT_LE(test::largest_defect(FieldOf(kHeavy, "impetus")(z), {v_x, v_y, l * v_x, l * v_y - 1}),
              kRounding);  // (50)
  }
}

// Linearised (49): the residuals have the eigenvalues +-sigma, sigma^2 = 4 pi^2 - cos xi with pi^2 = p'p, cos xi = y.
TEST(HeavyPendulum, SeesTheEigenvaluesOfSeilerUnderTotal) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_on_manifold(kHeavy, seed);
    const Letters at(z);
    EXPECT_LE(test::largest_defect(FieldOf(kHeavy, "total").residual_matrix(z), {{0, 1}, {4 * at.pp - at.y, 0}}),
              kDifferenceLevel);
  }
}

/// det(s - A) = s^n + c[n-1] s^(n-1) + ... + c[0] and the adjugate of A, after Faddeev and Le Verrier.
struct Characteristic {
  explicit Characteristic(const Matrix& A) : c(A.size() + 1, 0) {
    const std::size_t n = A.size();
    c[n] = 1;
    Matrix M = test::identity(n);
    for (std::size_t k = 1; k <= n; ++k) {
      adjugate = M;  // up to its sign
      const Matrix AM = test::product(A, M);
      Quad trace = 0;
      for (std::size_t i = 0; i < n; ++i) trace += AM[i][i];
      c[n - k] = -trace / static_cast<Quad>(k);
      M = test::sum(AM, test::identity(n, c[n - k]));
    }
  }
  Vector c;
  Matrix adjugate;
};

// The derivative of (50) has the eigenvalues 0, 0 and +-|p|, whatever the striction is; [seiler99] says +-lambda. Zero
// has one eigenvector only, (q, lambda q), so that the impetus drifts linearly along the normal.
TEST(HeavyPendulum, HasTheEigenvaluesZeroTwiceAndPlusMinusTheMomentumUnderImpetus) {
  FieldOf impetus(kHeavy, "impetus");
  Vector z = test::point_on_manifold(kHeavy);
  const Quad pp = Letters(z).pp, striction = static_cast<Quad>(0.7);
  ASSERT_GT(static_cast<double>(abs(pp - striction * striction)), 0.1);
  z[2] += striction * z[0];
  z[3] += striction * z[1];
  const Matrix A = impetus.derivative(z);
  const Characteristic found(A);
  EXPECT_LE(test::largest_defect(found.c, {0, 0, -pp, 0, 1}), kDifferenceLevel);
  const Vector eigenvector{z[0], z[1], striction * z[0], striction * z[1]};
  EXPECT_LE(static_cast<double>(test::largest(test::product(A, eigenvector))), kDifferenceLevel);
  // A singular matrix whose adjugate does not vanish has a null space of dimension one.
  EXPECT_GT(test::largest_defect(found.adjugate, test::identity(4, 0)), 0.1);
}

// (51): the normal part q'p* of the impetus changes at the rate (x p*_y - y p*_x)^2 / q'q - y; g does not change.
TEST(HeavyPendulum, LetsTheNormalPartOfTheImpetusGrowAsSeilerSays) {
  FieldOf impetus(kHeavy, "impetus");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vector z = test::point_off_manifold(kHeavy, seed), f = impetus(z);
    const Letters at(z);
    const Quad spin = at.x * at.p_y - at.y * at.p_x;
    const auto [q, p] = test::halves(z);
    const auto [q_dot, p_dot] = test::halves(f);
    EXPECT_LE(static_cast<double>(abs(dot(q_dot, p) + dot(q, p_dot) - (spin * spin / at.qq - at.y))), kRounding);
    EXPECT_LE(static_cast<double>(abs(dot(q, q_dot))), kRounding);
  }
}

}  // namespace
}  // namespace cotangent
