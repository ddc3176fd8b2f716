#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/formulation/field_of.hpp"

// A formulation that does not apply says which condition failed, and what to use instead.

namespace cotangent {
namespace {

test::Problem plane(const std::string& hamiltonian, const std::string& constraint) {
  return {.name = "plane",
          .text = R"toml(
[system]
coordinates = ["x", "y", "z"]
hamiltonian = ")toml" +
                  hamiltonian + R"toml("
[constraints]
rod = ")toml" + constraint +
                  R"toml("
[initial]
x = 0.4
y = 0.3
z = 0.5
p_x = 0.1
p_y = 0.2
p_z = 0.3
)toml"};
}

const char* const kPlain = "(p_x^2 + p_y^2/3 + p_z^2)/2 + 0.4*p_x*p_y + x^4 + y*z";
const char* const kAffine = "x + 2*y - z = 0.5";

/// The message, or nothing where the formulation takes the problem.
std::string refusal(const test::Problem& problem) {
  try {
    test::FieldOf(problem, "linear-hamiltonian");
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

void expect_message(const std::string& message, const std::string& condition) {
  EXPECT_NE(message.find("linear-hamiltonian"), std::string::npos) << message;
  EXPECT_NE(message.find(condition), std::string::npos) << message;
  EXPECT_NE(message.find("use 'dirac'"), std::string::npos) << message;
}

TEST(LinearHamiltonian, TakesAffineConstraintsAndConstantMasses) {
  EXPECT_EQ(refusal(plane(kPlain, kAffine)), "");
  EXPECT_EQ(refusal(plane(kPlain, "x + 2*y - z = 0.5 + 0.1*sin(t)")), "");
  EXPECT_EQ(refusal(plane(std::string(kPlain).append(" + x*cos(t)"), kAffine)), "");
}

TEST(LinearHamiltonian, RefusesConstraintsThatAreNotAffine) {
  expect_message(refusal(plane(kPlain, "x^2 + y = 0.5")), "affine");
  expect_message(refusal(plane(kPlain, "sin(x) + 2*y - z = 0.5")), "affine");
  expect_message(refusal(plane(kPlain, "x + 2*y*cos(t) - z = 0.5")), "constant coefficients");
}

TEST(LinearHamiltonian, RefusesMassesThatAreNotConstant) {
  for (const char* hamiltonian : {"(1 + x^2)*(p_x^2 + p_y^2 + p_z^2)/2 + z", "sqrt(1 + p_x^2 + p_y^2 + p_z^2) + z",
                                  "(2 + sin(t))*(p_x^2 + p_y^2 + p_z^2)/2 + z", "(p_x^2 + p_y^2 + p_z^2)/2 + y*p_x"})
    expect_message(refusal(plane(hamiltonian, kAffine)), "constant masses");
}

TEST(LinearHamiltonian, NamesTheConstraintsFirstWhereBothConditionsFail) {
  const std::string message = refusal(plane("(1 + x^2)*(p_x^2 + p_y^2 + p_z^2)/2", "x^2 + y = 0.5"));
  expect_message(message, "affine");
  EXPECT_EQ(message.find("constant masses"), std::string::npos) << message;
}

// The advice is good: `dirac` takes what was refused, and is Hamiltonian.
TEST(LinearHamiltonian, AdvisesWhatWorks) {
  EXPECT_TRUE(find_formulation<Quad>("dirac").facts.hamiltonian);
  for (const auto& problem : {plane(kPlain, "x^2 + y = 0.5"), plane("(1 + x^2)*(p_x^2 + p_y^2 + p_z^2)/2", kAffine)}) {
    ASSERT_NE(refusal(problem), "");
    test::FieldOf dirac(problem, "dirac");
    EXPECT_LE(test::largest_defect(dirac(test::point_on_manifold(problem)),
                                   test::FieldOf(problem, "standard")(test::point_on_manifold(problem))),
              1e-28);
  }
}

TEST(Charts, FromFullMatricesRefuseLargeSystemsAndAdvisePartitions) {
  for (const auto& [kind, name] : {std::pair{ChartKind::qr, "QR"}, {ChartKind::svd, "SVD"}}) {
    test::FieldOf(test::chain(250), "state-space", {.chart = kind});
    try {
      test::FieldOf(test::chain(251), "state-space", {.chart = kind});
      FAIL() << name << " has taken 502 coordinates";
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find("500"), std::string::npos) << message;
      EXPECT_NE(message.find("chart = partition"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace cotangent
