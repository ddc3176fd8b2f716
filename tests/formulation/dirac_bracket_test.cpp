#include <gtest/gtest.h>

#include <string>

#include "tests/formulation/field_of.hpp"

// The Hamilton-Dirac equations against their definition
//
//   z' = {z, H} - {z, chi} C^-1 {chi, H},   C = {chi, chi},  chi = (g, psi),
//
// with C as one dense matrix of size 2 m that is inverted as a whole. Nothing of dirac_weak.hpp is used.

namespace cotangent {
namespace {

using test::FieldOf;
using test::Matrix;
using test::Vector;

/// The tensor {z, z} - {z, chi} C^-1 {chi, z} of the Dirac bracket, and what it is made of.
struct DiracBracket {
  DiracBracket(const Model& model, const Vector& z)
      : chi(test::gradients_of_chi(model, z)), C(test::bracket(chi, chi)) {
    const Matrix unit = test::identity(z.size());
    tensor = test::sum(
        test::bracket(unit, unit),
        test::product(test::bracket(unit, chi), test::product(test::inverse(C), test::bracket(chi, unit))), -1);
  }
  Matrix chi, C, tensor;
};

class DiracBracketOn : public testing::TestWithParam<std::string> {
 protected:
  const test::Problem& problem = test::problem(GetParam());
  FieldOf field{problem, "hamilton-dirac"};
};

constexpr double kRounding = 1e-26;

TEST_P(DiracBracketOn, MakesTheFieldOnAndOffTheManifold) {
  for (const Vector& z : {test::point_on_manifold(problem), test::point_off_manifold(problem)}) {
    const DiracBracket bracket(field.model(), z);
    const Vector gradient = test::gradient_of_H(field.model(), z);
    EXPECT_LE(test::largest_defect(field(z), test::product(bracket.tensor, gradient)), kRounding);
  }
  // Off the manifold that is not the motion without constraints, nor the standard underlying ODE.
  const Vector z = test::point_off_manifold(problem);
  EXPECT_GT(test::largest_defect(field(z), FieldOf(problem, "standard")(z)), 1e-4);
}

TEST_P(DiracBracketOn, IsTheFieldOfDiracWeak) {
  FieldOf weak(problem, "dirac-weak");
  const Vector z = test::point_off_manifold(problem);
  EXPECT_LE(test::largest_defect(field(z), weak(z)), 0);
}

TEST_P(DiracBracketOn, IsAntisymmetricAndHasTheConstraintsAsCasimirs) {
  const Vector z = test::point_off_manifold(problem);
  const DiracBracket bracket(field.model(), z);
  const Matrix zero = test::identity(z.size(), 0);
  EXPECT_LE(test::largest_defect(test::sum(bracket.tensor, test::transposed(bracket.tensor)), zero), kRounding);
  const Matrix casimirs = test::product(bracket.chi, bracket.tensor);
  EXPECT_LE(test::largest_defect(casimirs, Matrix(casimirs.size(), Vector(z.size(), 0))), kRounding);
  // So that g, psi and H are first integrals of the field.
  EXPECT_LE(static_cast<double>(test::largest(field.chi_dot(z))), kRounding);
  EXPECT_LE(static_cast<double>(abs(test::product(Matrix{test::gradient_of_H(field.model(), z)}, field(z))[0])),
            kRounding);
}

// C^-1 = [[R^-1 S R^-1, -R^-1], [R^-1, 0]].
TEST_P(DiracBracketOn, HasTheInverseInBlocksThatThePaperStates) {
  const Vector z = test::point_off_manifold(problem);
  const auto brackets = test::brackets(field.model(), z);
  const Matrix R = test::inverse(brackets.R), zero = test::identity(R.size(), 0);
  EXPECT_LE(test::largest_defect(
                test::inverse(DiracBracket(field.model(), z).C),
                test::blocks(test::product(R, test::product(brackets.S, R)), test::sum(zero, R, -1), R, zero)),
            kRounding);
}

// Of one constraint and several, the metric constant or not, T quadratic or not, sums inside of functions.
INSTANTIATE_TEST_SUITE_P(Each, DiracBracketOn,
                         testing::Values("double_pendulum", "spherical_metric", "relativistic", "torus",
                                         "function_of_sum", "group_constraint", "group_metric"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace cotangent
