#include "cotangent/simulation/start/alternative.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

Model pendulum(const std::string& alternative, const std::string& rod = "x^2 + y^2 = 1") {
  return read_model_text(R"toml([system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
hamiltonian_alternative = ")toml" +
                             alternative + R"toml("
[constraints]
rod = ")toml" + rod + R"toml("
[initial]
x = 0.6
y = -0.8
p_x = 0.4
p_y = 0.3
)toml",
                         "pendulum.toml");
}

// [seiler99, eq. 52], a multiple of g, and the square of psi.
TEST(Alternative, IsAcceptedWhereItGivesTheSameMotion) {
  for (const char* H : {"(x^2 + y^2)*(p_x^2 + p_y^2)/2 + y", "(p_x^2 + p_y^2)/2 + y + (x + p_y)*(x^2 + y^2 - 1)",
                        "(p_x^2 + p_y^2)/2 + y + 3*(x*p_x + y*p_y)^2", "(x*p_y - y*p_x)^2/2 + (x*p_x + y*p_y)^2 + y"}) {
    const AlternativeReport report = check_alternative(pendulum(H));
    EXPECT_GE(report.points, 5) << H;
    EXPECT_LE(report.energy, 1e-17) << H;
    EXPECT_LE(report.velocity, 1e-17) << H;
    EXPECT_LE(report.force, 1e-16) << H;
  }
}

TEST(Alternative, MayMoveWithTheConstraints) {
  const char* rod = "x^2 + (y - 0.2*t)^2 = 1";
  EXPECT_GE(check_alternative(pendulum("(p_x^2 + p_y^2)/2 + y + x*(x^2 + (y - 0.2*t)^2 - 1)", rod)).points, 5);
  // Right at the beginning only.
  EXPECT_THROW(check_alternative(pendulum("(p_x^2 + p_y^2)/2 + y + x*(x^2 + y^2 - 1)", rod)), ModelError);
}

void expect_refused(const std::string& alternative, const std::string& message) {
  try {
    check_alternative(pendulum(alternative));
    ADD_FAILURE() << "accepted: " << alternative;
  } catch (const ModelError& error) {
    EXPECT_EQ(error.line(), 4U) << error.what();
    EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("at x = "), std::string::npos) << error.what();
  }
}

TEST(Alternative, IsRefusedOtherwise) {
  expect_refused("(p_x^2 + p_y^2)/2 + 1.001*y", "a difference of 0.0008, ");
  // Equal on the manifold, but psi moves q along the gradient of g.
  expect_refused("(p_x^2 + p_y^2)/2 + y + x*p_x + y*p_y", "the velocity of");
}

TEST(Alternative, TakesThePlaceOfTheHamiltonian) {
  const Model given = pendulum("(x^2 + y^2)*(p_x^2 + p_y^2)/2 + y");
  const Model other = with_alternative(given);
  EXPECT_EQ(other.energy, given.alternative);
  EXPECT_EQ(other.energy_where.span.begin, given.alternative_where.span.begin);
  EXPECT_NE(other.energy, given.energy);
}

}  // namespace
}  // namespace cotangent
