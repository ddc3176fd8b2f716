#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mistakes.hpp"

namespace cotangent {
namespace {

// A mass on a circle that carries a chain of two more.
constexpr const char* kModel = R"toml([parameters]
N = 2
l = 1.5
[definitions]
"rod(a)" = "[l*sin(a), -l*cos(a)]"
sway = "sin(2*a)"
[system]
coordinates = ["x", "y", "r[N, 2]"]
hamiltonian = "p_x^2 + p_y^2 + sum(i in 1..N, norm2(p_r[i]) + r[i,2])"
[constraints]
hoop = "x^2 + y^2 = l^2"
[minimal]
coordinates = ["a", "b[N]"]
x = "l*sin(a + t)"
y = "-l*cos(a + t)"
r = { each = "i in 1..N", value = "[sway, 3] + sum(j in 1..i, rod(b[j]))" }
guess = { a = "atan2(x, -y) - t", b = "r[i,1]" }
[initial]
x = 0
y = "-l"
r = 0
p_x = 0
p_y = 0
p_r = 0
)toml";

TEST(Minimal, CoordinatesAreFunctionsOfMinimalOnes) {
  const Model m = read(kModel);
  ASSERT_TRUE(m.minimal);
  ASSERT_EQ(m.minimal->coordinates.size(), 2U);
  EXPECT_EQ(m.minimal->coordinates[1].name, "b");
  EXPECT_EQ(m.minimal->coordinates[1].offset, 1);
  EXPECT_EQ(m.minimal->dimension(), 3);
  EXPECT_EQ(m.minimal->phi.size(), 4U);  // x, y, and the two components of r[i]
  EXPECT_EQ(m.minimal->phi[0].target, m.coordinates[0].q);
  EXPECT_EQ(m.minimal->phi[3].loops.size(), 1U);
  EXPECT_EQ(m.minimal->guess.size(), 2U);
  EXPECT_EQ(m.minimal->guess[1].target, m.minimal->coordinates[1].symbol);
  EXPECT_TRUE(m.notes.empty());
}

TEST(Minimal, IsOptional) {
  EXPECT_FALSE(read("[system]\ncoordinates=[\"x\"]\nhamiltonian=\"p_x^2\"\n[initial]\nx=0\np_x=0").minimal);
}

TEST(Minimal, MistakesAreReportedAtTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"coordinates = [\"a\", \"b[N]\"]\n", "", 12, 1, "[minimal] has no 'coordinates'", "coordinates = [\"a\"]"},
      {"[\"a\", \"b[N]\"]", "[]", 13, 15, "at least one coordinate", ""},
      {"[\"a\", \"b[N]\"]", "[\"a\", \"b[9]\"]", 13, 15, "10 minimal coordinates are more than the 6 of [system]", ""},
      {"[\"a\", \"b[N]\"]", "[\"a\", \"x\"]", 13, 22, "the name 'x' is taken: it is the coordinate", ""},
      {"[\"a\", \"b[N]\"]", "[\"a\", \"l\"]", 13, 22, "the name 'l' is taken: it is the parameter", ""},
      {"[\"a\", \"b[N]\"]", "\"a\"", 13, 15, "must be a list of strings", ""},
      {"y = \"-l*cos(a + t)\"\n", "", 12, 1, "'y' has no value in [minimal]", "every entry"},
      {"each = \"i in 1..N\", value = \"[sway", "each = \"i in 2..N\", value = \"[sway", 12, 1,
       "'r[1,1]' has no value in [minimal]", ""},
      {"y = \"-l*cos(a + t)\"", "y = \"-l*cos(a + t)\"\nz = \"a\"", 16, 1, "unknown name 'z' in [minimal]", ""},
      {"y = \"-l*cos(a + t)\"", "y = \"-l*cos(a + t)\"\na = \"x\"", 16, 1, "the minimal coordinate 'a' has no value",
       "[minimal] is for the coordinates of [system]"},
      {"y = \"-l*cos(a + t)\"", "y = \"-l*cos(c + t)\"", 15, 13, "unknown name 'c'", ""},
      {"y = \"-l*cos(a + t)\"", "y = \"-l*cos(a)*x\"", 15, 16, "the coordinate 'x' cannot be used in [minimal]",
       "functions of the minimal coordinates and t"},
      {"r = {", "\"r[1]\" = [0, 0]\nr = {", 17, 35, "'r[1,1]' has a second value here", ""},
      {"a = \"atan2(x, -y) - t\", ", "", 17, 1, "'a' has no guess in [minimal.guess]", ""},
      {"a = \"atan2(x, -y) - t\"", "a = \"b[1]\"", 17, 16, "the minimal coordinate 'b' cannot be used in a guess", ""},
      {"guess = { a", "guess = 3 #", 17, 9, "'guess' must be a table", ""},
      {"sway = \"sin(2*a)\"", "sway = \"x\"", 16, 37, "the definition 'sway' contains the coordinate 'x'", ""},
      {"hamiltonian = \"", "hamiltonian = \"sway + ", 9, 16,
       "the definition 'sway' contains the minimal coordinate 'a'", "known in [minimal] only"},
      {"hoop = \"x^2", "hoop = \"a + x^2", 11, 9, "the minimal coordinate 'a' cannot be used in a constraint",
       "known in [minimal] only"},
  };
  expect_reported(kModel, mistakes);
}

TEST(Alternative, IsAHamiltonianBesideAHamiltonian) {
  const Model m = read(replaced(kModel, "[constraints]", "hamiltonian_alternative = \"p_x^2*x\"\n[constraints]"));
  EXPECT_EQ(m.alternative, read_expression(m, "p_x^2*x"));
  EXPECT_FALSE(read(kModel).alternative.valid());
  const auto refused = [](const std::string& text, const char* message) {
    try {
      static_cast<void>(read(text));
      ADD_FAILURE() << "accepted: " << message;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.line(), 10U) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  };
  refused(replaced(kModel, "[constraints]", "hamiltonian_alternative = \"v_x^2\"\n[constraints]"),
          "the velocity 'v_x' cannot be used in the hamiltonian");
  refused(replaced(kModel, "hamiltonian = \"p_x^2 + p_y^2 + sum(i in 1..N, norm2(p_r[i]) + r[i,2])\"",
                   "lagrangian = \"v_x^2\"\nhamiltonian_alternative = \"p_x^2\""),
          "stands beside a 'hamiltonian'");
}

}  // namespace
}  // namespace cotangent
