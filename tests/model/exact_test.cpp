#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mistakes.hpp"

namespace cotangent {
namespace {

constexpr const char* kModel = R"toml([parameters]
N = 3
w = 2.0
[definitions]
phase = "w*t"
"wave(k)" = "cos(k*phase)"
drift = "x + t"
[system]
coordinates = ["x", "r[N, 2]"]
states = ["u"]
hamiltonian = "(p_x^2 + w^2*x^2)/2 + sum(i in 1..N, norm2(p_r[i]))"
[equations]
u = "v_x"
[exact]
x = "cos(phase)"
p_x = "-w*sin(phase)"
r = { each = "i in 1..2", value = "[wave(i), i]" }
"p_r[3,1]" = 0
u = "cos(phase)"
[initial]
x = 1
r = 0
p_x = 0
p_r = 0
u = 1
)toml";

TEST(Exact, SolutionsAreFunctionsOfTimeForSomeOfTheVariables) {
  const Model m = read(kModel);
  ASSERT_EQ(m.exact.size(), 6U);  // r[i] has two components
  EXPECT_EQ(m.exact[0].target, m.coordinates[0].q);
  EXPECT_EQ(m.exact[1].target, m.coordinates[0].p);
  EXPECT_EQ(m.exact[1].value, read_expression(m, "-w*sin(w*t)"));
  EXPECT_EQ(m.exact[3].target, m.coordinates[1].q);
  EXPECT_EQ(m.exact[3].loops.size(), 1U);
  EXPECT_EQ(m.exact[4].target, m.coordinates[1].p);
  EXPECT_EQ(m.exact[4].indices.size(), 2U);
  EXPECT_EQ(m.exact[5].target, m.states[0].symbol);
  EXPECT_TRUE(m.notes.empty());
}

TEST(Exact, IsOptional) {
  EXPECT_TRUE(read("[system]\ncoordinates=[\"x\"]\nhamiltonian=\"p_x^2\"\n[initial]\nx=0\np_x=0").exact.empty());
}

TEST(Exact, MistakesAreReportedAtTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"x = \"cos(phase)\"", "x = \"cos(phase)*p_x\"", 15, 17, "the momentum 'p_x' cannot be used in an exact solution",
       "a function of t and parameters"},
      {"x = \"cos(phase)\"", "x = \"drift\"", 15, 6, "the definition 'drift' contains the coordinate 'x'",
       "a function of t and parameters"},
      {"x = \"cos(phase)\"", "y = \"cos(phase)\"", 15, 1, "unknown name 'y' in [exact]", ""},
      {"x = \"cos(phase)\"", "v_x = 0", 15, 1, "the velocity 'v_x' has no exact solution",
       "[exact] is for coordinates, momenta and states"},
      {"\"p_r[3,1]\" = 0", "\"r[2,1]\" = 0", 18, 12, "'r[2,1]' has a second exact solution here", ""},
      {"\"p_r[3,1]\" = 0", "\"p_r[4,1]\" = 0", 18, 6, "index of 'p_r'", ""},
      {"each = \"i in 1..2\"", "each = \"i in 1..4\"", 17, 15, "index 4 of 'r' is outside 1..3", ""},
  };
  expect_reported(kModel, mistakes);
}

}  // namespace
}  // namespace cotangent
