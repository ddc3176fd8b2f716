#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/expr/algorithm.hpp"
#include "mistakes.hpp"
#include "support.hpp"

namespace cotangent {
namespace {

// What [system], [forces], [equations], [observables], [invariants] and [initial] say. Tests replace parts of it.
constexpr const char* kModel = R"toml([parameters]
N = 3
c = 0.1
pairs = [[1,2],[3,1]]
[system]
coordinates = ["x", "r[N,3]", "a[3]"]
states = ["z", "w[N]"]
lagrangian = "v_x^2/2 + sum(i in 1..N, norm2(v_r[i]))/2 + norm2(v_a)/2 - x*cos(t)"
dissipation = "c*v_x^2/2 + z*norm2(v_a)"
[constraints]
pin = "x = sin(t)"
rod = { each = "(i,j) in pairs", equation = "norm2(r[i] - r[j]) = 1" }
grid = { each = "i in 2..3, k in 1..2", equation = "r[i,k] = 0" }
top = "r[1] = 0"
rows = { each = "i in 2..N", equation = "r[i] = r[1]" }
[forces]
x = "-c*p_x + z + lambda_pin"
r = { each = "i in 2..N", value = "-c*v_r[i]" }
a = "cross([0, 0, 1], v_a)"
[equations]
z = "-z + x"
w = "-w[i] + z*i"
[observables]
angle = "atan2(r[1,1], r[1,2])"
o = "x"
[invariants]
L = "sum(i in 1..N, cross(r[i], p_r[i]))"
[initial]
x = "z + w[2]"
r = "i + 10*j"
a = "[1, 2, N]"
v_x = "2*x"
v_r = { each = "i in 1..N", value = "cross([0, 0, 1], r[i])" }
p_a = 0
z = "3 + t"
w = "i^2"
)toml";

Model with_observable(const std::string& text) { return read(replaced(kModel, "o = \"x\"", "o = " + text)); }

TEST(Mechanics, AModelSaysAllThatMoves) {
  const Model m = read(kModel);
  EXPECT_EQ(m.dynamics, Dynamics::lagrangian);
  EXPECT_EQ(m.dimension(), 1 + 9 + 3);
  ASSERT_EQ(m.states.size(), 2U);
  EXPECT_EQ(m.states[1].offset, 1);
  EXPECT_EQ(m.dissipation, read_expression(m, "c*v_x^2/2 + z*norm2(v_a)"));
  EXPECT_EQ(m.constraints[0].components[0], read_expression(m, "x - sin(t)"));
  EXPECT_EQ(entry_name(m, 0), "x");
  EXPECT_EQ(entry_name(m, 1 + 4), "r[2,2]");
  EXPECT_EQ(state_entry_name(m, 3), "w[3]");
  EXPECT_TRUE(m.notes.empty());
}

TEST(Mechanics, AHamiltonianMayDependOnTheTime) {
  const Model m =
      read("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2 + x*sin(t)\"\n[initial]\nx = 0\np_x = 0\n");
  EXPECT_EQ(m.dynamics, Dynamics::hamiltonian);
  EXPECT_FALSE(m.dissipation.valid());
  EXPECT_EQ(m.energy, read_expression(m, "p_x^2/2 + x*sin(t)"));
}

TEST(Mechanics, ForcesAndEquationsAssignEntryByEntry) {
  const Model m = read(kModel);
  ASSERT_EQ(m.forces.size(), 1U + 3U + 3U);
  EXPECT_EQ(m.forces[0].target, m.coordinates[0].q);
  EXPECT_EQ(m.forces[0].value, read_expression(m, "-c*p_x + z + lambda_pin"));
  EXPECT_EQ(to_string(m.forces[2].value), "-(c*v_r[i, 2])");
  EXPECT_TRUE(m.forces[2].indices[1].is_constant(2));
  EXPECT_TRUE(m.forces[2].loops[0].lo.is_constant(2));
  EXPECT_EQ(m.forces[4].value, read_expression(m, "-v_a[2]"));
  ASSERT_EQ(m.rates.size(), 2U);
  EXPECT_EQ(m.rates[0].value, read_expression(m, "x - z"));
  EXPECT_EQ(m.rates[1].loops.size(), 1U);
  EXPECT_EQ(to_string(m.rates[1].where), "test.toml:22:5");
}

TEST(Mechanics, EquationsMayComeInParts) {
  const Model m = read(replaced(kModel, "w = \"-w[i] + z*i\"",
                                "w = [{ each = \"i in 1..2\", value = \"z\" }, { each = \"i in 3..N\", value = 0 }]"));
  EXPECT_EQ(m.rates.size(), 3U);
  EXPECT_EQ(read(replaced(kModel, "w = \"-w[i] + z*i\"", "w = [1, \"z\", \"w[2]\"]")).rates.size(), 4U);
}

TEST(Mechanics, ObservablesAndInvariantsMayBeVectorsAndFamilies) {
  const Model m = with_observable("{ each = \"(i,j) in pairs\", value = \"r[i] - r[j]\" }");
  const auto& o = observable(m, "o");
  EXPECT_TRUE(o.is_vector);
  EXPECT_EQ(o.loops.size(), 1U);
  EXPECT_EQ(o.labels.size(), 2U);
  EXPECT_EQ(o.components.size(), 3U);
  EXPECT_EQ(m.invariants[0].components.size(), 3U);
  EXPECT_TRUE(observable(with_observable("3"), "o").components[0].is_constant(3));
}

// Values of a constraint are numbered with the component running fastest, then the innermost loop.
TEST(Mechanics, MultipliersAreIndexedAsTheirConstraintIs) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"lambda_pin", "lambda_pin"},
      {"lambda_rod[1,2]", "lambda_rod[1]"},
      {"lambda_rod[3,1]", "lambda_rod[2]"},
      {"sum((a,b) in pairs, a*lambda_rod[a,b])", "sum(k_pairs in 1..2, pairs[k_pairs, 1]*lambda_rod[k_pairs])"},
      {"lambda_grid[2,1]", "lambda_grid[1]"},
      {"lambda_grid[2,2]", "lambda_grid[2]"},
      {"lambda_grid[3,1]", "lambda_grid[3]"},
      {"sum(i in 2..3, lambda_grid[i,2])", "sum(i in 2..3, lambda_grid[2*(i - 2) + 2])"},
      {"lambda_top[3]", "lambda_top[3]"},
      {"norm2(lambda_top)", "lambda_top[1]^2 + lambda_top[2]^2 + lambda_top[3]^2"},
      {"lambda_rows[3,2]", "lambda_rows[5]"},
      {"norm2(lambda_rows[2])", "lambda_rows[1]^2 + lambda_rows[2]^2 + lambda_rows[3]^2"},
  };
  for (const auto& [text, expected] : cases) {
    const Model m = with_observable('"' + text + '"');
    EXPECT_EQ(to_string(observable(m, "o").components[0]), expected) << text;
  }
}

TEST(Mechanics, InitialValuesMayUseEachOtherInAnyOrder) {
  const Model m = read(kModel);
  std::vector<std::string> order;
  for (const auto& initial : m.initial) order.push_back(m.graph->symbol(initial.target).name);
  const auto place = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  EXPECT_LT(place("z"), place("x"));
  EXPECT_LT(place("w"), place("x"));
  EXPECT_LT(place("x"), place("v_x"));
  const auto z = std::find_if(m.initial.begin(), m.initial.end(),
                              [&](const auto& initial) { return initial.target == m.states[0].symbol; });
  EXPECT_TRUE(substitute(z->value, {{m.t.id(), m.graph->constant(0)}}).is_constant(3));  // with t the start
}

TEST(Mechanics, EntriesOfInitialValuesAreValuesOfTheirOwn) {
  EXPECT_NO_THROW(read(replaced(kModel, "w = \"i^2\"", "w = [1, 2, \"x\"]")));  // x uses w[2] only
}

TEST(Mechanics, OverridesReachStatesAndVectors) {
  const Model m = read(kModel, {"z=5", "w[3]=8", "r[1,2]=0.5", "a=[7,8,9]"});
  EXPECT_EQ(m.initial.size(), read(kModel).initial.size() + 2);
}

TEST(Mechanics, RowsOfInitialValuesAreVectors) {
  const auto values = [](const std::string& initial, const Overrides& overrides = {}) {
    const Model m = read(
        "[definitions]\nu = [7, 8, 9]\n[system]\ncoordinates = [\"r[2,3]\"]\n"
        "hamiltonian = \"norm2(p_r[1]) + norm2(p_r[2])\"\n[initial]\np_r = 0\n" +
            initial,
        overrides);
    std::vector<double> r(6, -1);
    for (const auto& a : m.initial) {
      if (a.target != m.coordinates[0].q) continue;
      for (int i = 1; i <= 2; ++i)
        for (int j = 1; j <= 3; ++j) {
          const auto covers = [&](Expr index, int k) { return !index.is_constant() || index.is_constant(k); };
          if (covers(a.indices[0], i) && covers(a.indices[1], j))
            r[static_cast<std::size_t>(3 * i + j - 4)] = value_of(m, a.value);
        }
    }
    return r;
  };
  using Values = std::vector<double>;
  EXPECT_EQ(values("r = 0\n\"r[1]\" = [0, 1, \"2\"]"), (Values{0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(values("\"r[1,2]\" = 5\n\"r[1]\" = \"[0, 1, 2]\"\n\"r[2]\" = \"2*u\""), (Values{0, 5, 2, 14, 16, 18}));
  EXPECT_EQ(values("r = 0\n\"r[1]\" = { value = \"u\" }"), (Values{7, 8, 9, 0, 0, 0}));
  EXPECT_EQ(values("r = \"[[1, 2, 3], u]\""), (Values{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(values("r = 0\n\"r[2,1]\" = 4", {"r=[[1,0,0],[2,0,0]]"}), (Values{1, 0, 0, 2, 0, 0}));
  EXPECT_EQ(values("r = 0\n\"r[2,1]\" = 4", {"r[2]=[2,1,0]"}), (Values{0, 0, 0, 2, 1, 0}));
  EXPECT_EQ(values("r = 0", {"r[2]=[2,1,0]", "r[2,3]=7"}), (Values{0, 0, 0, 2, 1, 7}));
  for (const char* wrong : {"r = \"[[1, 2, 3]]\"", "r = \"[[1, 2], [3, 4]]\"", "r = 0\n\"r[1]\" = 1",
                            "r = 0\n\"r[1]\" = [1, 2]", "r = 0\n\"r[3]\" = [1, 2, 3]",
                            "r = 0\n\"r[1]\" = { each = \"i in 1..2\", value = \"u\" }", "r = 0\n\"r[1,2,3]\" = 0"})
    EXPECT_THROW(values(wrong), ModelError) << wrong;
}

TEST(Mechanics, MistakesAreReportedWithAdvice) {
  const char* kForces = "x = \"-c*p_x + z + lambda_pin\"";
  const std::vector<Mistake> mistakes{
      // [system]
      {"lagrangian =", "hamiltonian = \"p_x^2\"\nlagrangian =", 9, 1, "both a 'hamiltonian' and a 'lagrangian'", "one"},
      {"lagrangian = \"v_x^2/2", "lagrangian = \"p_x^2/2", 8, 15, "the momentum 'p_x' cannot be used in the lagrangian",
       "use the velocity v_x"},
      {"lagrangian =", "hamiltonian =", 8, 16, "the velocity 'v_x' cannot be used in the hamiltonian",
       "use the momentum p_x"},
      {"- x*cos(t)", "- z", 8, 74, "the state 'z' cannot be used in the lagrangian", "coordinates, velocities and t"},
      {"- x*cos(t)", "- lambda_pin", 8, 74, "the multiplier 'lambda_pin' cannot be used in the lagrangian",
       "[forces], [equations] and [observables]"},
      {"dissipation = \"c*v_x^2", "dissipation = \"c*p_x^2", 9, 18, "the momentum 'p_x' cannot be used in the dissip",
       "use the velocity v_x"},
      {"dissipation = \"c", "dissipation = \"lambda_pin", 9, 16, "the multiplier 'lambda_pin' cannot be used", ""},
      {"\"w[N]\"]", "\"x\"]", 7, 17, "the name 'x' is taken: it is the coordinate", ""},
      {"states = [\"z\", \"w[N]\"]", "states = \"z\"", 7, 10, "'states' must be a list of strings", ""},
      // [constraints]
      {"x = sin(t)", "x = z", 11, 12, "the state 'z' cannot be used in a constraint", "holonomic"},
      {"x = sin(t)", "x = lambda_rod[1,2]", 11, 12, "the multiplier 'lambda_rod' cannot be used in a constraint", ""},
      {"x = sin(t)", "sin(t) = 0", 11, 8, "does not depend on any coordinate", ""},
      {"r[1] = 0", "r[1] = 1", 14, 8, "the left side is a vector of 3 components, the right side a number", "to 0"},
      {"r[1] = 0", "r[1] = [1, 2]", 14, 8, "the right side a vector of 2 components", ""},
      {"r[1] = 0", "[x, t] = 0", 14, 8, "component 2 of the constraint 'top' does not depend on any coordinate", ""},
      // [forces]
      {kForces, "y = 1", 17, 1, "unknown name 'y' in [forces]", "coordinates"},
      {kForces, "p_x = 1", 17, 1, "the momentum 'p_x' has no force", "[forces] is for coordinates"},
      {kForces, "z = 1", 17, 1, "the state 'z' has no force", "[forces] is for coordinates"},
      {kForces, "\"x + 1\" = 1", 17, 2, "'x + 1' has no force", ""},
      {kForces, "\"r[2,1]\" = 1", 18, 35, "'r[2,1]' has a second force here", "added up in one expression"},
      {kForces, "x = \"a\"", 17, 6, "'a' is a vector of 3 components where a number is needed", ""},
      {kForces, "x = \"angle\"", 17, 6, "the observable 'angle' cannot be used in a force", "[definitions]"},
      {"i in 2..N\", value = \"-c", "i in 2..N+1\", value = \"-c", 18, 15, "index 4 of 'r' is outside 1..3", ""},
      {"i in 2..N\", value = \"-c*v_r[i]", "i in 2..N\", value = \"c", 18, 35,
       "must be a vector of 3 components here, not a number", ""},
      {"a = \"cross([0, 0, 1], v_a)\"", "a = \"[1, 2]\"", 19, 5,
       "must be a vector of 3 components here, not a vector of 2", ""},
      // [equations]
      {"z = \"-z + x\"", "", 7, 12, "the state 'z' has no equation", "add z = "},
      {"w = \"-w[i] + z*i\"", "w = { each = \"i in 1..2\", value = 1 }", 7, 17, "the state 'w[3]' has no equation", ""},
      {"w = \"-w[i] + z*i\"", "w = \"1\"\n\"w[1]\" = 2", 23, 10, "'w[1]' has a second equation here", ""},
      {"z = \"-z + x\"", "x = 1", 21, 1, "the coordinate 'x' has no equation", "[equations] is for states"},
      // [observables] and [invariants]
      {"angle =", "x =", 24, 1, "the name 'x' is taken: it is the coordinate", ""},
      {"L =", "angle =", 27, 1, "the name 'angle' is taken: it is the observable", ""},
      {"o = \"x\"", "o = []", 25, 5, "'o' in [observables] is an empty list", ""},
      {"o = \"x\"", "o = [\"x\", \"a\"]", 25, 12, "'a' is a vector of 3 components where a number is needed", ""},
      {"o = \"x\"", "o = [\"x\", [1]]", 25, 11, "must be a number or an expression, not a list", ""},
      {"o = \"x\"", "o = { each = \"i in 1..2\" }", 25, 1, "has no 'value'", ""},
      {"o = \"x\"", "o = \"lambda_rod[1,3]\"", 25, 6, "the index list 'pairs' has no such row", ""},
      {"o = \"x\"", "o = \"lambda_rod\"", 25, 6, "'lambda_rod' has 2 indices, as its constraint has, not 0", ""},
      {"o = \"x\"", "o = \"lambda_pin[1]\"", 25, 6, "'lambda_pin' has 0 indices, as its constraint has, not 1", ""},
      {"o = \"x\"", "o = \"lambda_grid[4,1]\"", 25, 18, "the index of 'lambda_grid' is 4, outside 2..3", ""},
      {"o = \"x\"", "o = \"rod\"", 25, 6, "the constraint 'rod' cannot be used in an observable", "lambda_rod"},
      {"cross(r[i], p_r[i]))\"", "lambda_pin)\"", 27, 21, "cannot be used in an invariant", ""},
      // [initial]
      {"z = \"3 + t\"", "", 7, 12, "'z' has no initial value", "add z = ..."},
      {"w = \"i^2\"", "w = [1, \"x\", 3]", 29, 5, "the initial value of 'x' depends on itself: x -> w[2] -> x", ""},
      {"w = \"i^2\"", "w = \"x\"\n\"w[2]\" = 7", 29, 5, "depends on itself: x -> w[2] -> w -> x", ""},
      {"z = \"3 + t\"", "z = \"x\"", 29, 5, "the initial value of 'x' depends on itself: x -> z -> x", ""},
      {"w = \"i^2\"", "w = \"w[i]\"", 36, 5, "the initial value of 'w[2]' depends on itself: w[2] -> w[2]", ""},
      {"w = \"i^2\"", "w = \"w[4-i]\"", 36, 5, "the initial value of 'w[2]' depends on itself: w[2] -> w[2]", ""},
      {"w = \"i^2\"", "w = \"if(w[1] > 0, 1, w[i]) \"", 36, 5, "'w[1]' depends on itself: w[1] -> w[1]", ""},
      {"z = \"3 + t\"", "z = \"v_x\"", 35, 6, "the velocity 'v_x' cannot be used in an initial value",
       "initial values of"},
      {"p_a = 0", "p_a = \"[1, 2]\"", 34, 7, "must be a vector of 3 components here", ""},
      {"p_a = 0", "p_a = 0\nangle = 0", 35, 1, "the observable 'angle' has no initial value", "[initial] is for"},
  };
  expect_reported(kModel, mistakes);
}

TEST(Mechanics, MultipliersOfDependentLoopsAreRefused) {
  const std::string text = R"toml(
[system]
coordinates = ["x[3]"]
hamiltonian = "norm2(p_x)"
[constraints]
c = { each = "i in 1..3, j in 1..i", equation = "x[i] = x[j]" }
[initial]
x = 0
p_x = 0
[observables]
o = "lambda_c[2,1]"
)toml";
  try {
    read(text);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("bounds that depend on each other"), std::string::npos);
    EXPECT_NE(error.suggestion().find("index list"), std::string::npos);
  }
}

TEST(Mechanics, ParametersThatNothingUsesAreNoted) {
  const Model m = read(replaced(kModel, "c = 0.1", "c = 0.1\nspare = 1"));
  ASSERT_EQ(m.notes.size(), 1U);
  EXPECT_EQ(m.notes[0], "test.toml:4:1: nothing uses the parameter 'spare'");
}

// H as the reader knows it, with indices of its own: the loops around its use have the same names.
TEST(Hamiltonian, IsANameInObservablesAndInvariants) {
  const std::string text = R"toml(
[parameters]
N = 3
[system]
coordinates = ["x", "r[N,2]"]
ENERGY
[observables]
double = "2*hamiltonian"
family = { each = "i in 1..N", value = "hamiltonian*i + sum(i in 1..2, hamiltonian)" }
[invariants]
E = "hamiltonian"
[initial]
x = 1
r = 0
p_x = 0
p_r = 0
)toml";
  const auto with = [&](const std::string& energy) {
    std::string all = text;
    all.replace(all.find("ENERGY"), 6, energy);
    return read_model_text(all, "test.toml");
  };
  const std::string H = "p_x^2/2 + sum(i in 1..N, norm2(p_r[i])*i/2) + x*r[1,1] + t";
  const Model given = with("hamiltonian = \"" + H + "\"");
  const double value = value_of(given, H);
  EXPECT_DOUBLE_EQ(value_of(given, observable(given, "double").components[0]), 2 * value);
  EXPECT_DOUBLE_EQ(value_of(given, given.invariants[0].components[0]), value);
  EXPECT_TRUE(given.shows_energy);
  // In each instance the loop has a number; every sum inside has its own.
  const Expr each = observable(given, "family").components[0];
  const Replacement second{
      {given.graph->symbol_expr(observable(given, "family").loops[0].index).id(), given.graph->constant(2)}};
  EXPECT_DOUBLE_EQ(value_of(given, substitute(each, second)), 4 * value);

  const Model of_L = with("lagrangian = \"v_x^2/2 + sum(i in 1..N, norm2(v_r[i])/2) - x*r[1,1]\"");
  const std::string transformed =
      "p_x*v_x + sum(i in 1..N, dot(p_r[i], v_r[i])) - v_x^2/2 - sum(i in 1..N, norm2(v_r[i])/2) + x*r[1,1]";
  EXPECT_NEAR(value_of(of_L, observable(of_L, "double").components[0]), 2 * value_of(of_L, transformed), 1e-12);

  EXPECT_THROW(static_cast<void>(with("hamiltonian = \"hamiltonian\"")), ModelError);
}

TEST(InitialValues, MayDependOnTheStart) {
  Model model = read_model_text(
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2\"\n[definitions]\nlater = \"t + 1\"\n"
      "[initial]\nx = \"2*later\"\np_x = \"t\"\n",
      "test.toml");
  EXPECT_TRUE(depends_on(model.initial[0].value, [&](Expr e) { return e == model.t; }));
}

}  // namespace
}  // namespace cotangent
