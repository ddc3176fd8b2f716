#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace cotangent {
namespace {

// An observable `o` with that text.
Model with_observable(const std::string& text) {
  return read(R"toml(
[parameters]
N = 4
g = [0.5, -1, 2]
frame = [[1, 2, 3], [4, 5, 6]]
[definitions]
up = [0, 0, 1]
centre = "sum(i in 1..N, r[i])/N"
long = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
lever = { each = "i in 1..N", value = "cross(r[i], s)" }
row = { each = "i in 1..N", value = "r[i]" }
"last(a, k)" = "a[k] + a[3]"
[system]
coordinates = ["r[N,3]", "s[3]", "x", "u[N,2]"]
hamiltonian = "sum(i in 1..N, norm2(p_r[i]))/2 + norm2(p_s)/2 + p_x^2/2 + sum(i in 1..N, norm2(p_u[i]))/2"
[initial]
r = 0
s = 0
x = 0
u = 0
p_r = 0
p_s = 0
p_x = 0
p_u = 0
[observables]
o = ")toml" + text +
              "\"\n");
}

TEST(Vectors, AreWhatTheirComponentsSay) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"r[2]", {"r[2,1]", "r[2,2]", "r[2,3]"}},
      {"s", {"s[1]", "s[2]", "s[3]"}},
      {"p_s", {"p_s[1]", "p_s[2]", "p_s[3]"}},
      {"v_r[N]", {"v_r[4,1]", "v_r[4,2]", "v_r[4,3]"}},
      {"g", {"0.5", "-1", "2"}},
      {"frame[2]", {"4", "5", "6"}},
      {"[x, 2, -x]", {"x", "2", "-x"}},
      {"r[1] + r[2] - s", {"r[1,1] + r[2,1] - s[1]", "r[1,2] + r[2,2] - s[2]", "r[1,3] + r[2,3] - s[3]"}},
      {"-s", {"-s[1]", "-s[2]", "-s[3]"}},
      {"2*s*x", {"2*s[1]*x", "2*s[2]*x", "2*s[3]*x"}},
      {"s/x", {"s[1]/x", "s[2]/x", "s[3]/x"}},
      {"x*(s - g)", {"x*(s[1] - 0.5)", "x*(s[2] + 1)", "x*(s[3] - 2)"}},
      {"dot(r[1], s)", {"r[1,1]*s[1] + r[1,2]*s[2] + r[1,3]*s[3]"}},
      {"norm2(s)", {"s[1]^2 + s[2]^2 + s[3]^2"}},
      {"norm(u[1])", {"sqrt(u[1,1]^2 + u[1,2]^2)"}},
      {"cross(r[1], s)", {"r[1,2]*s[3] - r[1,3]*s[2]", "r[1,3]*s[1] - r[1,1]*s[3]", "r[1,1]*s[2] - r[1,2]*s[1]"}},
      {"cross(up, s)", {"-s[2]", "s[1]", "0"}},
      {"sum(i in 1..N, i*u[i])", {"sum(i in 1..4, i*u[i,1])", "sum(i in 1..4, i*u[i,2])"}},
      {"if(x > 0, s, g)", {"if(x > 0, s[1], 0.5)", "if(x > 0, s[2], -1)", "if(x > 0, s[3], 2)"}},
      {"sum(k in 1..2, dot(frame[k], s))", {"sum(k in 1..2, frame[k,1]*s[1] + frame[k,2]*s[2] + frame[k,3]*s[3])"}},
      {"centre", {"sum(i in 1..4, r[i,1])/4", "sum(i in 1..4, r[i,2])/4", "sum(i in 1..4, r[i,3])/4"}},
      {"centre[2]", {"sum(i in 1..4, r[i,2])/4"}},
      {"up[3]", {"1"}},
      {"long[17]", {"1"}},
      {"sum(k in 1..3, up[k]*s[k])", {"s[3]"}},
      {"sum(k in 1..3, k*centre[k])", {"sum(i in 1..4, r[i,1] + 2*r[i,2] + 3*r[i,3])/4"}},
      {"sum(k in 1..2, centre[4-k])", {"sum(i in 1..4, r[i,2] + r[i,3])/4"}},
      {"sum(i in 1..N, k in 1..3, i*k*lever[i,k])", {"sum(i in 1..4, i*dot([1, 2, 3], cross(r[i], s)))"}},
      {"sum(i in 1..N, k in 1..3, i*k*row[i,k])", {"sum(i in 1..4, k in 1..3, i*k*r[i,k])"}},
      {"sum(k in 1..3, last(x*s, k))", {"x*(s[1] + s[2] + 4*s[3])"}},
      {"sum(k in 1..4, if(k == 4, 0, centre[k]))", {"sum(i in 1..4, r[i,1] + r[i,2] + r[i,3])/4"}},
      {"s[2]", {"s[2]"}},
  };
  for (const auto& [text, expected] : cases) {
    const Model m = with_observable(text);
    const auto& o = observable(m, "o");
    EXPECT_EQ(o.is_vector, expected.size() > 1) << text;
    ASSERT_EQ(o.components.size(), expected.size()) << text;
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_DOUBLE_EQ(value_of(m, o.components[k]), value_of(m, expected[k])) << text << ", component " << k + 1;
  }
}

TEST(Vectors, ObservablesMayBeLists) {
  const Model m = with_observable(R"([x + s[1], 2, -x]"
list = ["x + s[1]", 2, "-x"]
family = { each = "i in 1..N", value = "[r[i,3], i*x]" }
family_of_lists = { each = "i in 1..N", value = ["r[i,3]", "i*x"] }
final = "x)");
  for (const auto& [list, text] : {std::pair{"list", "o"}, {"family_of_lists", "family"}}) {
    const auto &found = observable(m, list), &expected = observable(m, text);
    EXPECT_TRUE(found.is_vector);
    EXPECT_EQ(found.components, expected.components);
    EXPECT_EQ(found.loops.size(), expected.loops.size());
  }
}

TEST(Vectors, ThatDoNotFitAreRefusedWithTheirSizes) {
  struct Case {
    const char* text;
    std::size_t column;
    const char* message;
    const char* suggestion;
  };
  const std::vector<Case> cases{
      {"r[1] + u[1]", 6, "a vector of 3 components and a vector of 2 components cannot be added", ""},
      {"s - 1", 6, "a vector of 3 components and a number cannot be subtracted", ""},
      {"s*g", 6, "two vectors cannot be multiplied", "dot(a, b) or cross(a, b)"},
      {"1/s", 6, "nothing can be divided by a vector", ""},
      {"s^2", 6, "has no power", "norm2"},
      {"sin(s)", 10, "'s' is a vector of 3 components where a number is needed", "norm"},
      {"s < 1", 6, "where a number is needed", "component"},
      {"if(s, 1, 2)", 9, "where a number is needed", ""},
      {"if(x > 0, s, 1)", 6, "one branch of 'if' is a vector of 3 components, the other a number", ""},
      {"dot(s, u[1])", 6, "dot of a vector of 3 components and a vector of 2 components", ""},
      {"dot(s, x)", 13, "dot needs a vector, not a number", "'*'"},
      {"norm(x)", 11, "norm needs a vector, not a number", "abs(x)"},
      {"dot(s)", 6, "dot takes 2 arguments, not 1", ""},
      {"norm2(s, s)", 6, "norm2 takes 1 argument, not 2", ""},
      {"cross(u[1], u[2])", 6, "cross needs vectors of 3 components, not 2", "a[1]*b[2] - a[2]*b[1]"},
      {"cross([1,2,3,4], [1,2,3,4])", 6, "cross needs vectors of 3 components, not 4", ""},
      {"[s, 1]", 7, "'s' is a vector of 3 components where a number is needed", ""},
      {"r", 6, "'r' is an array of 2 indices", "r[i, ...]"},
      {"r[1,2,3]", 6, "'r' has 2 indices, not 3", ""},
      {"r[s]", 8, "the coordinate 's' cannot be used in an index", ""},
      {"sum(k in 1..4, up[k])", 24, "index 4 of 'up' is outside 1..3 (at k = 4)", ""},
      {"sum(k in 1..17, long[k])", 27, "a vector of 17 components; its component must be a number here", "dot"},
      {"up[4]", 9, "the index of 'up' is 4, outside 1..3", ""},
  };
  for (const auto& [text, column, message, suggestion] : cases) {
    try {
      with_observable(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.column(), column) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
      EXPECT_NE(error.suggestion().find(suggestion), std::string::npos) << error.what();
    }
  }
}

TEST(Vectors, ARowOfAnArrayKeepsItsIndex) {
  const Model m = with_observable("sum(i in 1..N, k in 1..3, row[i,k])");
  EXPECT_EQ(observable(m, "o").components[0], read_expression(m, "sum(i in 1..4, k in 1..3, r[i,k])"));
}

TEST(Vectors, AForceTakesItsComponentByTheIndexOfItsEntry) {
  const Model m = read(R"toml(
[definitions]
down = [0, 0, -1]
[system]
coordinates = ["r[2,3]"]
hamiltonian = "norm2(p_r[1]) + norm2(p_r[2])"
[forces]
r = "i*down[j]"
[initial]
r = 0
p_r = 0
)toml");
  ASSERT_EQ(m.forces.size(), 1U);
  EXPECT_EQ(to_string(m.forces[0].value), "i*if(j == 1, 0, if(j == 2, 0, -1))");
}

TEST(Vectors, AreNotMadeOfVeryLongArrays) {
  try {
    read("[system]\ncoordinates = [\"x[5000]\"]\nhamiltonian = \"norm2(p_x)\"\n[initial]\nx = 0\np_x = 0\n");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("5000 entries, too many for a vector; the limit is 1000"), std::string::npos);
    EXPECT_NE(error.suggestion().find("sum(i in 1..5000"), std::string::npos);
  }
}

TEST(Vectors, EquationsStandForOnePerComponent) {
  const Model m = read(R"toml(
[system]
coordinates = ["r[2,3]"]
hamiltonian = "norm2(p_r[1]) + norm2(p_r[2])"
[constraints]
pin = "r[1] = [1, sin(t), 0]"
rest = "r[2] = 0"
rest_too = { each = "i in 1..2", equation = "0 = r[i]" }
[initial]
r = 0
p_r = 0
)toml");
  const auto& pin = m.constraints[0];
  EXPECT_TRUE(pin.is_vector);
  ASSERT_EQ(pin.components.size(), 3U);
  EXPECT_EQ(pin.components[1], read_expression(m, "r[1,2] - sin(t)"));
  EXPECT_EQ(m.graph->symbol(pin.lambda).rank, 1);
  EXPECT_EQ(m.constraints[1].components[2], read_expression(m, "r[2,3]"));
  EXPECT_EQ(m.constraints[2].loops.size(), 1U);
}

TEST(Vectors, TheMethaneOfTheInterfaceIsRead) {
  const Model m = read(R"toml(
[parameters]
mass = [12.0, 1.0, 1.0, 1.0, 1.0]
pairs = [[1,2], [1,3], [1,4], [1,5], [2,3], [2,4], [2,5], [3,4], [3,5]]
s = "1/sqrt(3)"
[system]
coordinates = ["r[5,3]"]
lagrangian = "sum(a in 1..5, mass[a]*norm2(v_r[a])/2)"
[definitions]
"length2(a, b)" = "norm2(r[a] - r[b])"
[constraints]
rigid = { each = "(a,b) in pairs", equation = "length2(a, b) = if(a == 1, 1, 8/3)" }
[initial]
r = [[0,0,0], ["s","s","s"], ["s","-s","-s"], ["-s","s","-s"], ["-s","-s","s"]]
v_r = { each = "i in 1..5", value = "cross([0.3, 0.2, 1.0], r[i])" }
)toml");
  EXPECT_EQ(m.dynamics, Dynamics::lagrangian);
  EXPECT_EQ(m.energy, read_expression(m, "sum(a in 1..5, mass[a]*(v_r[a,1]^2 + v_r[a,2]^2 + v_r[a,3]^2)/2)"));
  const auto& rigid = m.constraints[0];
  ASSERT_EQ(rigid.loops.size(), 1U);
  EXPECT_TRUE(rigid.loops[0].lo.is_constant(1));
  EXPECT_TRUE(rigid.loops[0].hi.is_constant(9));
  ASSERT_EQ(rigid.labels.size(), 2U);
  EXPECT_EQ(to_string(rigid.labels[1]), "pairs[k_pairs, 2]");
  EXPECT_TRUE(m.notes.empty());
  // The velocity of atom 3, of which [initial] says omega x r.
  const auto& last = m.initial.back();
  EXPECT_EQ(to_string(last.value), "0.3*r[i, 2] - 0.2*r[i, 1]");
}

}  // namespace
}  // namespace cotangent
