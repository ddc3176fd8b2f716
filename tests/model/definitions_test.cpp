#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace cotangent {
namespace {

// A model with these definitions and the observable o = text.
Model with(const std::string& definitions, const std::string& text) {
  return read("[parameters]\nN = 4\npairs = [[1,2],[2,4]]\n[definitions]\n" + definitions + R"toml(
[system]
coordinates = ["r[N,3]", "x"]
states = ["z"]
hamiltonian = "sum((i,j) in pairs, norm2(p_r[i] - p_r[j])) + p_x^2"
[constraints]
rod = { each = "i in 2..N", equation = "norm2(r[i] - r[i-1]) = 1" }
pin = "x = 0"
[equations]
z = "-z"
[initial]
r = "i"
x = 0
z = 1
p_r = 0
p_x = 0
[observables]
o = ")toml" + text +
              "\"\n");
}

TEST(Definitions, OfEveryKindAreExpanded) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> cases{
      {{"a = \"b^2\"\nb = \"x + 1\"", "a"}, "(x + 1)^2"},
      {{"a = 3", "a*x"}, "3*x"},
      {{"a = [1, \"x\", 2]", "dot(a, r[1])"}, "r[1,1] + x*r[1,2] + 2*r[1,3]"},
      {{"d = { each = \"i in 2..N\", value = \"r[i,1] - r[i-1,1]\" }", "sum(k in 2..N, k*d[k])"},
       "sum(k in 2..4, k*(r[k,1] - r[k-1,1]))"},
      {{"d = { each = \"i in 2..N\", value = \"r[i] - r[i-1]\" }", "norm2(d[3]) + d[2,1]"},
       "(r[3,1]-r[2,1])^2 + (r[3,2]-r[2,2])^2 + (r[3,3]-r[2,3])^2 + r[2,1]-r[1,1]"},
      {{"d = { each = \"i in 1..N, k in 1..i\", value = \"r[i,1]*k\" }", "sum(j in 1..N, d[j,j])"},
       "sum(j in 1..4, j*r[j,1])"},
      {{"d = { each = \"(a,b) in pairs\", value = \"r[a,1]*r[b,2]\" }", "d[2,4] + sum((i,j) in pairs, i*d[i,j])"},
       "r[2,1]*r[4,2] + r[1,1]*r[2,2] + 2*r[2,1]*r[4,2]"},
      {{"\"f(u)\" = \"u^2\"", "f(x + 1)"}, "(x + 1)^2"},
      {{"\"d(a, b)\" = \"r[a] - r[b]\"", "norm2(d(1, N))"},
       "(r[1,1]-r[4,1])^2 + (r[1,2]-r[4,2])^2 + (r[1,3]-r[4,3])^2"},
      {{"\"len(u)\" = \"sqrt(dot(u, u)) + u[1]\"", "len(r[2])"}, "sqrt(r[2,1]^2 + r[2,2]^2 + r[2,3]^2) + r[2,1]"},
      {{"\"next(i)\" = \"if(i == N, 1, i + 1)\"", "sum(i in 1..N, r[i,1]*r[next(i),2])"},
       "r[1,1]*r[2,2] + r[2,1]*r[3,2] + r[3,1]*r[4,2] + r[4,1]*r[1,2]"},
      {{"last = \"N - 1\"", "r[last,1]"}, "r[3,1]"},
      // Recursions are sums, from where they begin.
      {{"\"s[i]\" = \"if(i == 1, r[1,1], s[i-1] + i*r[i,2])\"", "s[3] + 5*s[1]"}, "6*r[1,1] + 2*r[2,2] + 3*r[3,2]"},
      {{"\"s[i]\" = \"if(i == 2, x, r[i,1] + s[i-1] - x)\"", "sum(k in 2..N, k*s[k])"},
       "2*x + 3*r[3,1] + 4*(r[3,1] + r[4,1] - x)"},
      {{"\"s[i]\" = \"if(i == 1, r[1,1], s[i-1] + r[i,1])\"\n\"u[i]\" = \"if(i == 1, s[1], u[i-1] + i*s[i])\"", "u[3]"},
       "r[1,1] + 2*(r[1,1] + r[2,1]) + 3*(r[1,1] + r[2,1] + r[3,1])"},
      {{"\"s[i]\" = \"if(i == 0, [0, 0, 1], s[i-1] + r[i])\"", "dot(s[1], s[2]) + sum(i in 1..N, s[i,3])"},
       "r[1,1]*(r[1,1] + r[2,1]) + r[1,2]*(r[1,2] + r[2,2]) + (1 + r[1,3])*(1 + r[1,3] + r[2,3]) + 4 + 4*r[1,3] + "
       "3*r[2,3] + 2*r[3,3] + r[4,3]"},
      {{"\"s[i]\" = \"if(i == 1, x, s[i-1] + x)\"", "sum(i in 1..N, s[i]^2)"}, "30*x^2"},
      // Indices of a body are its own, whatever the user's are called.
      {{"\"f(u)\" = \"sum(i in 1..N, u*r[i,1])\"", "sum(i in 1..N, f(r[i,2]))"},
       "sum(i in 1..4, r[i,1])*sum(i in 1..4, r[i,2])"},
      {{"\"f(u)\" = \"sum(i in 1..N, u*r[i,1])\"", "f(f(x))"}, "x*sum(i in 1..4, r[i,1])^2"},
      {{"\"f(u)\" = \"sum(i in 1..N, u*r[i,1])\"", "sum(i_f in 1..N, f(r[i_f,2]))"},
       "sum(i in 1..4, r[i,1])*sum(i in 1..4, r[i,2])"},
      {{"total = \"sum(i in 1..N, r[i,1])\"", "sum(i_total in 1..N, i_total*total)"}, "10*sum(i in 1..4, r[i,1])"},
      {{"total = \"sum(i in 1..N, r[i,1])\"\nd = { each = \"i in 1..N\", value = \"r[i,1]*total\" }",
        "sum(i in 1..N, d[i])"},
       "sum(i in 1..4, r[i,1])^2"},
  };
  for (const auto& [input, expected] : cases) {
    const Model m = with(input.first, input.second);
    EXPECT_NEAR(value_of(m, observable(m, "o").components[0]), value_of(m, expected), 1e-12)
        << input.first << "; " << input.second;
  }
}

TEST(Definitions, MayContainMultipliersWhereTheseAreKnown) {
  const Model m =
      with("pull = \"2*lambda_pin\"\nmore = \"pull + 1\"\n\"f(u)\" = \"u*lambda_pin\"\nl = \"f(more)\"", "l");
  EXPECT_EQ(observable(m, "o").components[0], read_expression(m, "(2*lambda_pin + 1)*lambda_pin"));
}

TEST(Definitions, MistakesAreReportedWhereTheyAreMade) {
  constexpr std::size_t kUse = 22;  // the line of the observable, if the definitions take one
  struct Case {
    const char* definitions;
    const char* text;
    std::size_t line;
    std::size_t column;
    const char* message;
    const char* suggestion;
  };
  const std::vector<Case> cases{
      {"a = \"b\"\nb = \"c(1)\"\n\"c(u)\" = \"a*u\"", "1", 5, 1, "depends on itself: a -> b -> c -> a", ""},
      {"\"f(u)\" = \"f(u)\"", "1", 5, 2, "the definition 'f' depends on itself: f -> f", ""},
      {"\"f(u)\" = \"u + v\"", "1", 5, 15, "unknown name 'v'", ""},
      {"\"f(u)\" = \"u\"", "f(1, 2)", kUse, 6, "'f' takes 1 argument, not 2", ""},
      {"\"f(u)\" = \"u\"", "f", kUse, 6, "the definition 'f' takes 1 argument", "f(...)"},
      {"\"f(u)\" = \"u\"", "f[1]", kUse, 6, "takes arguments, not indices", "f(...)"},
      {"\"f(u, u)\" = \"u\"", "1", 5, 7, "the argument 'u' stands twice", ""},
      {"\"f(sin)\" = \"1\"", "1", 5, 4, "'sin' cannot name an argument", ""},
      {"\"f(2)\" = \"1\"", "1", 5, 4, "'2' cannot name an argument", ""},
      {"\"f[i]\" = \"1\"", "1", 5, 2, "'f[i]' cannot name a definition", "{ each = "},
      {"\"f()\" = \"1\"", "1", 5, 2, "'f()' cannot name a definition", "name(a, b)"},
      {"\"f(u)\" = 3", "1", 5, 10, "must be an expression, not a number", ""},
      {"x = 3", "1", 5, 1, "the name 'x' is taken: it is the coordinate", ""},
      {"z = 3", "1", 5, 1, "the name 'z' is taken: it is the state", ""},
      {"o = 3", "1", 5, 1, "the name 'o' is taken: it is the observable", ""},
      {"lambda_rod = 3", "1", 5, 1, "the name 'lambda_rod' is taken: it is the multiplier", ""},
      {"a = true", "1", 5, 5, "must be a number or an expression, not true or false", ""},
      {"a = []", "1", 5, 5, "is an empty list", ""},
      {"d = { each = \"i in 2..N\", value = \"r[i,1]\" }", "d", kUse, 6, "the definition 'd' has 1 index", "d[i]"},
      {"d = { each = \"i in 2..N\", value = \"r[i,1]\" }", "d[1]", kUse, 8, "the index of 'd' is 1, outside 2..4", ""},
      {"d = { each = \"i in 2..N\", value = \"r[i,1]\" }", "sum(i in 1..4, d[i])", kUse, 23,
       "index 1 of 'd' is outside 2..4 (at i = 1)", ""},
      {"d = { each = \"i in 2..N\", value = \"r[i,1]\" }", "d[2,1]", kUse, 6, "the definition 'd' has 1 index, not 2",
       ""},
      {"d = { each = \"i in 1..N, k in 1..i\", value = \"r[i,1]\" }", "sum(i in 1..3, d[i,i+1])", kUse, 25,
       "leaves the loop that it was defined with (at i = 1)", ""},
      {"d = { each = \"(a,b) in pairs\", value = \"r[a,1]\" }", "d[1,3]", kUse, 6, "'pairs' has no such row", ""},
      {"d = { each = \"(a,b) in pairs\", value = \"r[a,1]\" }", "sum(i in 1..2, d[i,2])", kUse, 21,
       "runs over the index list 'pairs'", "a loop over 'pairs'"},
      {"d = { each = \"i in 1..N\", value = \"r[i+1,1]\" }", "1", 5, 38, "index 5 of 'r' is outside 1..4 (at i = 4)",
       ""},
      {"d = { each = \"i in 1..N\" }", "1", 5, 1, "has no 'value'", ""},
      {"\"f(i)\" = \"r[i,1]\"", "f(7)", kUse, 6, "the index of 'r' is 7, outside 1..4 (inside 'f', at test.toml:5:13)",
       ""},
      {"\"f(i)\" = \"r[i,1]\"", "f(x)", kUse, 6, "the argument 'i' contains the coordinate 'x'", ""},
      {"\"f(u)\" = \"u(2)\"", "f(x)", kUse, 6, "the argument 'u' is not a function", "u*(...)"},
      {"\"f(u)\" = \"u[1]\"", "f(x)", kUse, 6, "the argument 'u' is a number", ""},
      {"\"s[i]\" = \"x + s[i-1]\"", "s[2]", kUse, 6, "says where it begins (inside 's', at test.toml:5:11)",
       "write if(i == 1, ..., s[i-1] + ...)"},
      {"\"s[i]\" = \"if(i == 1, x, s[i-2] + x)\"", "s[3]", kUse, 6, "refers to itself at another index", ""},
      {"\"s[i]\" = \"if(i == 1, x, 2*s[i-1])\"", "s[2]", kUse, 6, "adds to what it was before", "s[i-1] + ..."},
      {"\"s[i]\" = \"if(i == 1, x, s[i-1] + x)\"", "s[0]", kUse, 6, "leaves the loop that it was defined with", ""},
      {"\"s[i]\" = \"if(i == 1, x, s[i-1] + x)\"", "s", kUse, 6, "the definition 's' has 1 index", "s[i]"},
      {"\"s[i]\" = \"if(i == 1, x, s[i-1] + r[i,1])\"", "s[5]", kUse, 6, "index 5 of 'r' is outside 1..4", ""},
      {"\"s[i]\" = \"if(i == 1, x, s[i-1] + v)\"", "s[2]", 5, 34, "unknown name 'v'", ""},
      {"last = \"x\"", "r[last,1]", kUse, 8, "the definition 'last' contains the coordinate 'x'", ""},
  };
  for (const auto& [definitions, text, line, column, message, suggestion] : cases) {
    try {
      with(definitions, text);
      ADD_FAILURE() << "accepted: " << definitions << "; " << text;
    } catch (const ModelError& error) {
      // Definitions of several lines move what stands below them.
      const auto lines = static_cast<std::size_t>(std::count(definitions, definitions + strlen(definitions), '\n'));
      EXPECT_EQ(error.line(), line == kUse ? line + lines : line) << error.what();
      EXPECT_EQ(error.column(), column) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
      EXPECT_NE(error.suggestion().find(suggestion), std::string::npos) << error.what();
    }
  }
}

// What a definition contains is checked where it is used.
TEST(Definitions, AreRefusedWhereTheirContentsAre) {
  const auto expect = [](const std::string& definition, const std::string& equation, const char* message) {
    const std::string text = "[definitions]\n" + definition +
                             "\n[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2/2\"\n[constraints]\nc = \"" +
                             equation + "\"\n[initial]\nx = 0\np_x = 0\n";
    try {
      read(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.line(), 7U) << error.what();
      EXPECT_EQ(error.column(), 6U) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  };
  expect("k = \"p_x^2\"", "k = x",
         "the definition 'k' contains the momentum 'p_x', which cannot be used in a constraint");
  expect("k = \"lambda_c\"", "k = x", "the definition 'k' contains a multiplier, which cannot be used in a constraint");
  expect("\"k(u)\" = \"u*v_x\"", "k(x) = 1",
         "the velocity 'v_x' cannot be used in a constraint (inside 'k', at test.toml:2:13)");
  expect("\"k(u)\" = \"u*lambda_c\"", "k(x) = 1",
         "the multiplier 'lambda_c' cannot be used in a constraint (inside 'k'");
  expect("k = { each = \"i in 1..2\", value = \"i*p_x\" }", "k[1] = x",
         "the definition 'k' contains the momentum 'p_x'");
}

TEST(Definitions, ThatMultiplyAreStopped) {
  std::string text = "\"f0(u)\" = \"u\"\n";
  for (int k = 1; k <= 40; ++k) {
    const std::string before = "f" + std::to_string(k - 1);
    text += "\"f" + std::to_string(k) + "(u)\" = \"" + before + "(u) + " + before + "(u+1)\"\n";
  }
  EXPECT_THROW(with(text, "f40(x)"), ModelError);
  std::string chain = "\"f0(u)\" = \"u\"\n";
  for (int k = 1; k <= 3000; ++k)
    chain += "\"f" + std::to_string(k) + "(u)\" = \"f" + std::to_string(k - 1) + "(u)\"\n";
  EXPECT_THROW(with(chain, "f3000(x)"), ModelError);
}

TEST(Definitions, InALongChainAreRead) {
  std::string text = "d0 = \"x\"\n";
  for (int k = 1; k <= 3000; ++k) text += "d" + std::to_string(k) + " = \"d" + std::to_string(k - 1) + "*2 + 1\"\n";
  EXPECT_NO_THROW(with(text, "d3000"));
}

}  // namespace
}  // namespace cotangent
