#include "mistakes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cotangent/base/limits.hpp"

namespace cotangent {
namespace {

// A model in which each test breaks one thing. Line numbers of the tests refer to this text.
constexpr const char* kModel = R"toml(title = "pendulum"

[parameters]
m = 1.0
N = 4
half = "N/2"

[definitions]
r2 = "x^2 + y^2"
kinetic = "p_x^2 + p_y^2"

[system]
coordinates = ["x", "y", "s[N]"]
hamiltonian = "(p_x^2 + p_y^2)/(2*m) + m*y + sum(i in 1..N, p_s[i]^2)"

[constraints]
rod = "r2 = 1"
link = { each = "i in 2..N", equation = "s[i] - s[i-1] = 1" }

[initial]
x = 1.0
y = 0.0
s = "i"
p_x = 0.0
p_y = -2.0
p_s = 0

[run]
step = 0.01
)toml";

void expect_reported(const std::vector<Mistake>& mistakes) { cotangent::expect_reported(kModel, mistakes); }

TEST(Mistakes, TheModelWithoutMistakesIsRead) { EXPECT_NO_THROW(read_model_text(kModel, "model.toml")); }

TEST(Mistakes, InTomlAreReportedAtTheirPlace) {
  expect_reported({
      {"m = 1.0", "m = 1.0.0", 4, 8, "neither a number nor a string", ""},
      {"m = 1.0", "m = 1.0\nm = 2", 5, 1, "cannot redefine existing", ""},
      {"x = 1.0", "x = { value = 1, value = 2 }", 21, 18, "cannot redefine existing integer 'value'", ""},
      {"link = { each", "link = { equation = \"\", each", 18, 45, "cannot redefine existing string 'equation'", ""},
      {"[run]", "[initial]", 28, 1, "cannot redefine existing table 'initial'", ""},
      {"\"N/2\"", "\"N/2", 6, 12, "the string is not closed on its line", ""},
      {"m = 1.0", "m = N/2", 4, 5, "neither a number nor a string", "in quotes"},
      {"m = 1.0", "m = (N + 1)/2", 4, 5, "neither a number nor a string", "in quotes"},
      {"m = 1.0", "m = -N", 4, 6, "neither a number nor a string", "in quotes"},
      {"[run]", "[)run]", 28, 2, "not valid TOML", ""},
      {"[run]", "\xC3\xA9 = 1\n[run]", 28, 1, "not valid TOML", ""},
      {"coordinates = [", "coordinates = ", 13, 18, "not valid TOML", ""},
  });
}

TEST(Mistakes, InNamesComeWithASuggestion) {
  expect_reported({
      {"p_y^2)/(2*m)", "p_z^2)/(2*m)", 14, 25, "unknown name 'p_z'", "did you mean 'p_y'?"},
      {"+ m*y", "+ stiffness*y", 14, 40, "unknown name 'stiffness'", "[parameters], as stiffness = 1.0"},
      {"+ m*y", "+ M*y", 14, 40, "unknown name 'M'", "'m'"},
      {"\"N/2\"", "\"n/2\"", 6, 9, "unknown name 'n'", "'N'"},
      {"half = \"N/2\"", "half = \"N/2\"\nwidth = \"hafl\"", 7, 10, "unknown name 'hafl'", "'half'"},
      {"r2 = 1", "r3 = 1", 17, 8, "unknown name 'r3'", "'r2'"},
      {"+ m*y", "+ p_s[i]", 14, 44, "unknown name 'i'", "an index needs its loop: sum(i in 1..N, ...)"},
      {"half = \"N/2\"", "K = 2\nhalf = \"k/2\"", 7, 9, "unknown name 'k'", "'K'"},
      {"m*y +", "sine(y) +", 14, 40, "unknown function 'sine'", "'sin'"},
      {"m*y +", "m(y) +", 14, 40, "the parameter 'm' is not a function", "'m*(...)'"},
      {"p_s[i]^2", "p_s(i)^2", 14, 61, "the momentum 'p_s' is not a function", "p_s[i]"},
      {"m*y +", "sin y +", 14, 44, "unexpected 'y'", "'sin(y)'"},
      {"m*y +", "sqrt s[2]*y +", 14, 45, "unexpected 's'", "'sqrt(s[2])'"},
      {"m*y +", "m y +", 14, 42, "unexpected 'y'", "to multiply, write 'm*y'"},
      {"m*y +", "sin*y +", 14, 40, "'sin' is a function", "sin(...)"},
      {"[constraints]", "[constraint]", 16, 2, "unknown key 'constraint' in a model file", "'constraints'"},
      {"hamiltonian", "hamiltonain", 14, 1, "unknown key 'hamiltonain' in [system]", "'hamiltonian'"},
      {"equation =", "equatoin =", 18, 30, "unknown key 'equatoin'", "'equation'"},
      {"p_x = 0.0", "p_xx = 0.0", 24, 1, "unknown name 'p_xx' in [initial]", "'p_x'"},
      {"equation =", "value =", 18, 30, "unknown key 'value' in the constraint 'link'", "the key is 'equation'"},
      {"p_x = 0.0", "x_dot = 0.0", 24, 1, "unknown name 'x_dot' in [initial]", "called v_x"},
      {"p_x = 0.0", "m = 0.0", 24, 1, "the parameter 'm' has no initial value", ""},
  });
}

TEST(Mistakes, InDeclarationsAreReported) {
  expect_reported({
      {"m = 1.0", "sin = 1.0", 4, 1, "'sin' is a word of the language", ""},
      {"[run]", "[observables]\n\"a b\" = \"x\"\n[run]", 29, 2, "'a b' cannot name an observable", ""},
      {"[run]", "[invariants]\nsin = \"x\"\n[run]", 29, 1, "cannot name an invariant", ""},
      {"m = 1.0", "t = 1.0", 4, 1, "'t' is the time", ""},
      {"m = 1.0", "\"m m\" = 1.0", 4, 2, "'m m' cannot name a parameter", ""},
      {"half", "x", 13, 17, "the name 'x' is taken: it is the parameter declared at test.toml:6:1", ""},
      {"half", "p_x", 13, 17, "the name 'p_x' is taken", ""},
      {"\"y\", ", "\"y\", \"x\", ", 13, 27, "the name 'x' is taken: it is the coordinate", ""},
      {"rod =", "half =", 17, 1, "the name 'half' is taken", ""},
      {"half", "lambda_rod", 6, 1, "the multiplier of the constraint", ""},
      {"r2 =", "rod =", 9, 1, "the name 'rod' is taken: it is the constraint", ""},
      {"m = 1.0", "m = true", 4, 5, "must be a number or an expression, not true or false", ""},
      {"m = 1.0", "m = inf", 4, 5, "the parameter 'm' must be finite", ""},
      {"m = 1.0", "m = nan", 4, 5, "the parameter 'm' must be finite", ""},
      {"m = 1.0", "m = \"x\"", 4, 6, "unknown name 'x'", ""},
      {"\"s[N]\"", "\"s[2.5]\"", 13, 29, "the size of 's' is 2.5, not an integer", ""},
      {"\"s[N]\"", "\"s[N - 4]\"", 13, 29, "the size of 's' is 0, outside 1..", ""},
      {"\"s[N]\"", "\"s[10000,10000,10]\"", 13, 27, "too many coordinates; the limit is 100000000", ""},
      {"\"s[N]\"", "\"s[x]\"", 13, 29, "the coordinate 'x' cannot be used in an index or a size", ""},
      {"\"s[N]\"", "\"2*s\"", 13, 27, "'2*s' does not declare a coordinate", ""},
      {"\"s[N]\"", "3", 13, 26, "a coordinate must be a string, not a number", ""},
      {"[\"x\", \"y\", \"s[N]\"]", "[]", 13, 15, "needs a coordinate or a state", ""},
      {"[\"x\", \"y\", \"s[N]\"]", "\"x\"", 13, 15, "'coordinates' must be a list of strings", ""},
      {"step = 0.01", "step = { a = 1 }", 29, 8, "'step' must be a number or an expression, not a table", ""},
      {"step = 0.01", "every = 2.5", 29, 9, "the value of 'every' is 2.5, not an integer", ""},
      {"title = \"pendulum\"", "title = 3", 1, 9, "'title' must be a string, not a number", ""},
  });
}

TEST(Mistakes, CyclesAreSpelledOut) {
  expect_reported({
      {"half = \"N/2\"", "half = \"2*half\"", 6, 1, "the parameter 'half' depends on itself: half -> half", ""},
      {"half = \"N/2\"", "a = \"b\"\nb = \"c + 1\"\nc = \"a\"", 6, 1, "depends on itself: a -> b -> c -> a", ""},
      {"r2 = \"x^2 + y^2\"", "r2 = \"r4^2\"\nr4 = \"sqrt(r2)\"", 9, 1, "the definition 'r2' depends on itself", ""},
  });
}

TEST(Mistakes, InArithmeticWithNumbersAreReported) {
  expect_reported({
      {"\"N/2\"", "\"N/0\"", 6, 9, "division by zero", ""},
      {"\"N/2\"", "\"1 + N/(4 - N)\"", 6, 13, "division by zero", ""},
      {"\"N/2\"", "\"sqrt(-N)\"", 6, 9, "'sqrt(-N)' is not a finite number", ""},
      {"\"N/2\"", "\"log(0)\"", 6, 9, "'log(0)' is not a finite number", ""},
      {"+ m*y", "+ y/0", 14, 40, "division by zero", ""},
      {"x = 1.0", "x = \"1/(m - 1)\"", 21, 5, "is not a finite number", ""},
      {"x = 1.0", "x = nan", 21, 5, "must be finite", ""},
      {"\"N/2\"", "\"sum(i in 1..10^4, j in i..10^4, i*j)\"", 6, 9, "a sum of 1e+08 terms in a parameter", ""},
  });
}

TEST(Mistakes, InFunctionCallsAreReported) {
  expect_reported({
      {"m*y +", "sin(y, x) +", 14, 40, "sin takes 1 argument, not 2", ""},
      {"m*y +", "atan2(y) +", 14, 40, "atan2 takes 2 arguments, not 1", ""},
      {"m*y +", "min(y) +", 14, 40, "min takes at least 2 arguments, not 1", ""},
      {"m*y +", "if(y > 0, y) +", 14, 40, "if takes 3 arguments, not 2", ""},
      {"m*y +", "exp() +", 14, 40, "exp takes 1 argument, not 0", ""},
      {"m*y +", "ln(y) +", 14, 40, "unknown function 'ln'", "log(x)"},
      {"m*y +", "log10(y) +", 14, 40, "unknown function 'log10'", "log(x)/log(10)"},
      {"m*y +", "arctan(y) +", 14, 40, "unknown function 'arctan'", "atan(x)"},
      {"m*y +", "sgn(y) +", 14, 40, "unknown function 'sgn'", "sign(x)"},
      {"m*y +", "length(y) +", 14, 40, "unknown function 'length'", "norm(r)"},
      {"m*y +", "y**2 +", 14, 41, "'**' is not an operator", "x^2"},
      {"m*y +", "Sin(y) +", 14, 40, "unknown function 'Sin'", "'sin'"},
      {"m*y +", "r2(y) +", 14, 40, "the definition 'r2' is not a function", "'r2*(...)'"},
  });
}

TEST(Mistakes, InIndicesNameTheOffendingValue) {
  expect_reported({
      {"i in 2..N", "i in 1..N", 18, 51, "index 0 of 's' is outside 1..4 (at i = 1)", ""},
      {"i in 2..N", "i in 2..N+1", 18, 46, "index 5 of 's' is outside 1..4 (at i = 5)", ""},
      {"p_s[i]^2", "p_s[2*i]^2", 14, 65, "index 8 of 'p_s' is outside 1..4 (at i = 4)", ""},
      {"p_s[i]^2", "p_s[i/2]^2", 14, 65, "index 0.5 of 'p_s' is not an integer (at i = 1)", ""},
      {"p_s[i]^2", "p_s[5]^2", 14, 65, "the index of 'p_s' is 5, outside 1..4", ""},
      {"p_s[i]^2", "p_s[1.5]^2", 14, 65, "the index of 'p_s' is 1.5, not an integer", ""},
      {"p_s[i]^2", "p_s[x]^2", 14, 65, "the coordinate 'x' cannot be used in an index", ""},
      {"p_s[i]^2", "p_s^2", 14, 61, "a vector of 4 components has no power", "norm2"},
      {"p_s[i]^2", "p_x[i]^2", 14, 61, "the momentum 'p_x' is not an array", ""},
      {"p_s[i]^2", "p_s[i, 1]^2", 14, 61, "'p_s' has 1 index, not 2", ""},
      {"p_s[i]^2", "i[1]^2", 14, 61, "'i' is the index of a loop, not an array", ""},
      {"sum(i in 1..N", "sum(i in 1..N/3", 14, 58, "the bound of the loop is 1.3", ""},
      {"sum(i in 1..N", "sum(j in 1..2, i in 1..j/2", 14, 69, "not an integer (at j = 1)", ""},
      {"sum(i in 1..N", "sum(i in 1..x", 14, 58, "the coordinate 'x' cannot be used in an index", ""},
      {"sum(i in 1..N", "sum(i in 1..j, j in 1..N", 14, 58, "unknown name 'j'", ""},
      {"p_s[i]^2", "sum(j in i..N, p_s[j-i])", 14, 80, "index 0 of 'p_s' is outside 1..4 (at i = 1, j = 1)", ""},
      {"p_s[i]^2", "sum(j in 1..10^4, k in 1..2500, p_s[max(1, min(j - k, 4))])", 14, 97,
       "this index of 'p_s' has too many instances to check", "linear expression"},
      {"p_s[i]^2", "if(i > 0, p_s[i-1], 0)", 14, 75, "index 0 of 'p_s' is outside 1..4 (at i = 1)", ""},
  });
}

TEST(Mistakes, InTheKindOfNameAreReported) {
  expect_reported({
      {"\"r2 = 1\"", "\"p_x = 1\"", 17, 8, "the momentum 'p_x' cannot be used in a constraint", "holonomic"},
      {"\"r2 = 1\"", "\"v_x = 1\"", 17, 8, "the velocity 'v_x' cannot be used in a constraint", "holonomic"},
      {"\"r2 = 1\"", "\"kinetic = 1\"", 17, 8, "the definition 'kinetic' contains the momentum 'p_", "holonomic"},
      {"+ m*y", "+ v_x^2", 14, 40, "the velocity 'v_x' cannot be used in the hamiltonian", "momenta"},
      {"+ m*y", "+ rod", 14, 40, "the constraint 'rod' cannot be used in the hamiltonian", ""},
      {"\"r2 = 1\"", "\"m = 1\"", 17, 8, "does not depend on any coordinate", ""},
      {"\"r2 = 1\"", "\"r2\"", 17, 8, "expected an equation", "'... = 0'"},
      {"\"r2 = 1\"", "\"x <= 1\"", 17, 8, "inequalities are not supported", "an equation 'left = right'"},
      {"\"r2 = 1\"", "\"x == 1\"", 17, 8, "'==' compares", "one '='"},
      {"+ m*y", "+ x_dot^2", 14, 40, "unknown name 'x_dot'", "the velocity of 'x' is called v_x, its momentum p_x"},
      {"+ m*y", "+ xdot^2", 14, 40, "unknown name 'xdot'", "the velocity of 'x' is called v_x"},
      {"(p_x^2 + p_y^2)/(2*m) + m*y", "1,5*x", 14, 17, "unexpected ','", "write 1.5"},
      {"\"r2 = 1\"", "3", 17, 7, "must be an equation", ""},
      {"s = \"i\"", "s = \"p_x\"", 23, 6, "the momentum 'p_x' cannot be used in an initial value", "initial values of"},
  });
}

TEST(Mistakes, InInitialValuesAreReported) {
  expect_reported({
      {"x = 1.0", "", 13, 17, "'x' has no initial value", "add x = ..."},
      {"p_x = 0.0", "", 13, 17, "'p_x' has no initial value", "add p_x = 0"},
      {"p_x = 0.0", "p_x = 0.0\nv_x = 1", 25, 1, "both the momentum 'p_x' and the velocity 'v_x'", ""},
      {"s = \"i\"", "s = [1, 2, 3]", 23, 5, "a list of 3 values where 's' needs 4", ""},
      {"s = \"i\"", "s = [1, 2, 3, [4]]", 23, 15, "must be a number or an expression, not a list", ""},
      {"s = \"i\"", "s = { each = \"i in 2..N\", value = 1 }", 13, 27, "'s[1]' has no initial value", "\"s[1]\""},
      {"s = \"i\"", "s = { each = \"i in 2..5\", value = 1 }", 23, 15, "index 5 of 's' is outside 1..4", ""},
      {"s = \"i\"", "s = { each = \"i in 2..4\" }", 23, 5, "has no 'value'", ""},
      {"s = \"i\"", "s = { each = \"i in 1..4, j in 1..2\", value = 1 }", 23, 15, "'each' gives 2", ""},
      {"s = \"i\"", "s = { vaule = 1 }", 23, 7, "unknown key 'vaule'", "'value'"},
      {"x = 1.0", "x = { each = \"i in 1..2\", value = 1 }", 21, 7, "is one number", ""},
      {"x = 1.0", "x = [1.0]", 21, 5, "must be a number or an expression, not a list", ""},
      {"x = 1.0", "x = true", 21, 5, "not true or false", ""},
      {"x = 1.0", "x = 1.0\n\"s[9]\" = 1", 22, 4, "the index of 's' is 9, outside 1..4", ""},
  });
}

TEST(Mistakes, WhatComesLaterIsRefusedAsSuch) {
  const char* later = "not supported by this version yet";
  expect_reported({
      {"[run]", "[events]\n[run]", 28, 2, later, ""},
      {"[run]", "[algebraic_equations]\n[run]", 28, 2, later, ""},
      {"coordinates =", "algebraic = [\"l\"]\ncoordinates =", 13, 1, later, ""},
      {"x = 1.0", "x = { value = 1.0, fixed = true }", 21, 20, later, ""},
  });
}

TEST(Mistakes, InsideStringsOfSeveralLinesAreReportedOnTheirLine) {
  expect_reported({
      {"\"(p_x^2 + p_y^2)/(2*m) + m*y + sum(i in 1..N, p_s[i]^2)\"", "\"\"\"\n  p_x^2 +\n   p_q^2\"\"\"", 16, 4,
       "unknown name 'p_q'", ""},
      {"\"N/2\"", "'''\nN +\n\tq'''", 8, 2, "unknown name 'q'", ""},
      {"\"N/2\"", "\"\"\"N \\\n    + q\"\"\"", 7, 7, "unknown name 'q'", ""},
      {"\"N/2\"", "\"N\\u0020+ q\"", 6, 18, "unknown name 'q'", ""},
  });
}

TEST(Mistakes, InSizesAreRefusedWithTheLimit) {
  const std::string deep(300, '('), list(300, '[');
  expect_reported({
      {"\"N/2\"", ("\"" + deep + "1\"").c_str(), 6, 209, "nested too deeply; the limit is 200 levels", ""},
      {"m*y +", ("[" + std::string(40'000, 'x') + "] +").c_str(), 14, 41, "unknown name 'x", ""},
      {"m*y +", (std::string(70'000, '1') + " +").c_str(), 14, 16, "the limit is 65536", "[definitions]"},
      {"\"N/2\"", "\"sum(i in 1..10^9, i)\"", 6, 9, "a sum of 1e+09 terms in a parameter; the limit is 1000000", ""},
      {"+ m*y", "+ sum(i in 1..10^9, sin(i*x))", 14, 40,
       "a sum of 1e+09 terms in the hamiltonian; the limit is 100000000", ""},
      {"+ m*y", "+ sum(i in 1..10^5, x*sum(j in i..i+10^4, j))", 14, 60, "a sum of 1e+09 terms in the hamiltonian", ""},
      {"m = 1.0", ("m = " + list).c_str(), 4, 69, "nested too deeply; the limit is 64 levels", ""},
  });
  EXPECT_THROW(read_model_text(std::string(kLimits.file_bytes + 1, ' '), "large.toml"), ModelError);
}

TEST(Mistakes, InLongKeysAreRefusedWithTheLimit) {
  std::string key = "a";
  for (int k = 0; k < 1'000'000; ++k) key += ".a";
  const std::string header = "[" + key + "]\n[run]", value = "m = { b = 1, " + key + " = 1 }",
                    after_string = "m = { b = \"\"\"\"x\"\"\"\"\", " + key + " = 1 }";
  expect_reported({
      {"m = 1.0", (key + " = 1").c_str(), 4, 32, "a key of more than 16 parts", ""},
      {"[run]", header.c_str(), 28, 33, "a key of more than 16 parts", ""},
      {"m = 1.0", value.c_str(), 4, 45, "a key of more than 16 parts", ""},
      {"m = 1.0", after_string.c_str(), 4, 54, "a key of more than 16 parts", ""},
  });
}

TEST(Mistakes, AreNotSeenInThePointsOfTextsAndNumbers) {
  std::string text = kModel;
  text.replace(0, text.find('\n'), "title = '....................' # ....................");
  text.replace(text.find("m = 1.0"), 7,
               "m = 1.0\nw = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]");
  EXPECT_NO_THROW(read_model_text(text, "model.toml"));
}

TEST(Mistakes, WithoutADynamicsTheModelIsRefused) {
  const char* line = "hamiltonian = \"(p_x^2 + p_y^2)/(2*m) + m*y + sum(i in 1..N, p_s[i]^2)\"";
  expect_reported({
      {line, "", 12, 1, "[system] has neither a 'hamiltonian' nor a 'lagrangian'", "hamiltonian = "},
      {line, "hamiltonian = 3", 14, 15, "'hamiltonian' must be a string, not a number", ""},
      {line, "hamiltonian = \"[p_x, p_y]\"", 14, 16, "is a vector of 2 components where a number is needed", ""},
      {"coordinates = [\"x\", \"y\", \"s[N]\"]", "", 12, 1, "[system] has no 'coordinates'", "coordinates = "},
  });
}

TEST(Mistakes, WithoutASystemTheModelIsRefused) {
  EXPECT_THROW(read_model_text("", "empty.toml"), ModelError);
  EXPECT_THROW(read_model_text("title = \"a\"", "empty.toml"), ModelError);
  EXPECT_THROW(read_model_text("[system]\ncoordinates = [\"x\"]", "empty.toml"), ModelError);
}

TEST(Mistakes, AMissingFileIsReportedWithItsName) {
  try {
    read_model("/nonexistent/pendulum.toml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.line(), 0U);
    EXPECT_STREQ(error.what(), "/nonexistent/pendulum.toml: error: there is no such file");
  }
  EXPECT_THROW(read_model("/"), ModelError);
}

}  // namespace
}  // namespace cotangent
