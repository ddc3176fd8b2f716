#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "support.hpp"

namespace cotangent {
namespace {

// A model with these parameters and the hamiltonian p^2/2 + text.
Model with(const std::string& parameters, const std::string& text, const Overrides& overrides = {}) {
  return read("[parameters]\n" + parameters + "\n[system]\ncoordinates = [\"x[5]\"]\nhamiltonian = \"norm2(p_x)/2 + " +
                  text + "\"\n[initial]\nx = 0\np_x = 0\n",
              overrides);
}

double potential(const Model& m) { return value_of(m, m.energy) - value_of(m, "norm2(p_x)/2"); }

TEST(Tables, HoldNumbersAndExpressionsFirstIndexFastest) {
  const Model m = with("a = 2\nb = [[1, \"a\", \"a^2\"], [0.1, 5, \"sqrt(a)\"]]", "a*b[2,1]");
  const Parameter& b = m.parameters[1];
  EXPECT_EQ(b.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(b.table[1] == static_cast<Quad>(1) / 10);  // b[2,1]
  EXPECT_EQ(static_cast<double>(b.table[2]), 2);         // b[1,2]
  EXPECT_EQ(static_cast<double>(b.table[4]), 4);         // b[1,3]
  EXPECT_EQ(m.graph->symbol(b.symbol).rank, 2);
}

TEST(Tables, EntriesAreNumbersWhereTheirIndexIsOne) {
  const Model m = with("b = [3, 4, 5]\nn = \"b[1] - 1\"\nk = \"sum(i in 1..3, b[i])\"", "b[n]*x[b[1]] + k");
  EXPECT_DOUBLE_EQ(potential(m), 4 * value_of(m, "x[3]") + 12);
  EXPECT_EQ(static_cast<double>(m.parameters[2].value), 12);
}

TEST(Tables, EntriesMayBeIndicesAndBounds) {
  const Model m = with("next = [2, 3, 4, 5, 1]\nlast = [1, 3]",
                       "sum(i in 1..5, x[i]*x[next[i]]) + sum(i in 1..2, j in 1..last[i], x[next[next[j]]])");
  EXPECT_DOUBLE_EQ(potential(m), value_of(m,
                                          "x[1]*x[2] + x[2]*x[3] + x[3]*x[4] + x[4]*x[5] + x[5]*x[1]"
                                          " + 2*x[3] + x[4] + x[5]"));
}

TEST(Tables, MayBeAddedUpInsideAnIndex) {
  const Model m =
      with("n = [1, 2]\nstart = [1, 3]", "x[sum(k in 1..2, n[k])] + sum(i in 1..2, x[sum(k in 1..i, n[k])])");
  EXPECT_DOUBLE_EQ(potential(m), value_of(m, "x[3] + x[1] + x[3]"));
  EXPECT_NE(to_string(m.energy).find("x[3]"), std::string::npos);
}

TEST(Tables, OfFourIndicesAreTheLimit) {
  EXPECT_NO_THROW(with("b = [[[[1, 2]]]]", "b[1,1,1,2]"));
  EXPECT_THROW(with("b = [[[[[1]]]]]", "x[1]"), ModelError);
}

TEST(Lists, AreLoopedOverByTheirRows) {
  const Model m =
      with("pairs = [[1,2],[2,5]]\nodd = [1, 3, 5]",
           "sum((a,b) in pairs, a*x[a]*x[b]) + sum(i in odd, i*x[i]) + sum(k in 1..2, (a,b) in pairs, k*x[b])");
  EXPECT_DOUBLE_EQ(potential(m), value_of(m, "x[1]*x[2] + 2*x[2]*x[5] + x[1] + 3*x[3] + 5*x[5] + 3*x[2] + 3*x[5]"));
}

TEST(Lists, OfOneColumnMayBeWrittenEitherWay) {
  const Model m = with("odd = [1, 3]\nrows = [[1], [3]]",
                       "sum(i in odd, x[i]) - sum((i) in odd, x[i]) + sum((i) in rows, x[i]) - sum(i in rows, x[i])");
  EXPECT_NEAR(potential(m), 0, 1e-14);
}

TEST(Lists, MixWithRangesAndCoverPartsOfArrays) {
  const Model m = read(R"toml(
[parameters]
pairs = [[1,2],[3,2]]
cells = [[1,1],[2,2],[3,1],[1,2],[2,1],[3,2]]
[system]
coordinates = ["r[3,2]"]
hamiltonian = "sum(i in 1..3, norm2(p_r[i]))"
[constraints]
c = { each = "k in 1..2, (a,b) in pairs", equation = "r[a,k] = r[b,k]" }
[initial]
r = { each = "(a,b) in cells", value = "10*a + b" }
p_r = 0
)toml");
  const auto& c = m.constraints[0];
  EXPECT_EQ(c.loops.size(), 2U);
  EXPECT_EQ(c.labels.size(), 3U);
  EXPECT_EQ(to_string(m.initial[0].indices[1]), "cells[k_cells, 2]");
}

// The processor's seconds for a list of so many rows, whatever else the machine does.
double seconds_to_read(int rows) {
  std::string list = "pairs = [";
  for (int k = 0; k < rows; ++k) list += "[" + std::to_string(k % 5 + 1) + "," + std::to_string(k % 4 + 1) + "],";
  const std::clock_t begin = std::clock();
  const Model m = with(list + "]", "sum((a,b) in pairs, x[a]*x[b])");
  EXPECT_EQ(m.parameters[0].table.size(), static_cast<std::size_t>(2 * rows));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Lists, OfManyRowsTakeTimeInProportion) {
  EXPECT_LT(seconds_to_read(300'000), 40 * seconds_to_read(30'000));  // ten times as long; a hundred if quadratic
}

TEST(Tables, AreOverriddenAsAWholeAndByEntry) {
  const Model m = with("a = 1\nb = [1, 2, 3]\nc = \"b[2] + 1\"", "a*b[2] + c", {"b[2]=10*a", "a=2"});
  EXPECT_EQ(potential(m), 2 * 20 + 21);
  const Model whole = with("b = [1, 2, 3]\nc = [[1,2],[3,4]]", "b[2] + sum(i in 1..2, c[i,1])",
                           {"b=[4, 5, 6, 7]", "c = [[7, 8], [9, 10]]", "b[2] = 50"});
  EXPECT_EQ(whole.parameters[0].table.size(), 4U);
  EXPECT_EQ(potential(whole), 50 + 16);
}

TEST(Tables, OverridesThatDoNotFitAreRefused) {
  const auto expect = [](const char* override, const char* message) {
    try {
      with("a = 1\nb = [1, 2, 3]", "a*b[3]", {override});
      ADD_FAILURE() << "accepted: " << override;
    } catch (const ModelError& error) {
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  };
  expect("b[9]=1", "the index of 'b' is 9, outside 1..3");
  expect("b[1,1]=1", "an entry of the table 'b' has 1 index");
  expect("b[1]=q", "unknown name 'q'");
  expect("a[1]=1", "the parameter 'a' is not a table");
  expect("b=[1, 2]", "the index of 'b' is 3, outside 1..2");
  expect("b=[1, [2]]", "a list here and a number elsewhere");
  expect("b=7", "the parameter 'b' is not an array");
}

TEST(Tables, MistakesAreReported) {
  struct Case {
    const char* parameters;
    const char* text;
    std::size_t line;
    std::size_t column;
    const char* message;
  };
  const std::vector<Case> cases{
      {"b = [[1, 2], [3]]", "x[1]", 2, 14, "the table 'b' is not rectangular: 1 values here, 2 in the first list"},
      {"b = [[1, 2], 3]", "x[1]", 2, 14, "the table 'b' has a number here and a list elsewhere"},
      {"b = [1, [2]]", "x[1]", 2, 9, "the table 'b' has a list here and a number elsewhere"},
      {"b = []", "x[1]", 2, 5, "the table 'b' has an empty list"},
      {"b = [1, nan]", "x[1]", 2, 9, "an entry of 'b' must be finite"},
      {"b = [1, true]", "x[1]", 2, 9, "an entry of 'b' must be a number or an expression, not true or false"},
      {"b = [1, \"b[1]\"]", "x[1]", 2, 1, "the parameter 'b' depends on itself: b -> b"},
      {"b = [1, \"1/0\"]", "x[1]", 2, 10, "division by zero"},
      {"b = [1, 2]", "b[3]", 5, 33, "the index of 'b' is 3, outside 1..2"},
      {"b = [1, 2]", "sum(i in 1..3, b[i])", 5, 48, "index 3 of 'b' is outside 1..2 (at i = 3)"},
      {"b = [1, 2]", "b[1,2]", 5, 31, "'b' has 1 index, not 2"},
      {"b = [1, 7]", "sum(i in 1..2, x[b[i]])", 5, 48, "index 7 of 'x' is outside 1..5 (at i = 2)"},
      {"b = [1, 2.5]", "sum(i in 1..2, x[b[i]])", 5, 48, "index 2.5 of 'x' is not an integer (at i = 2)"},
      {"b = [[1,2],[2,9]]", "sum((i,j) in b, x[i] + x[j])", 5, 56, "index 9 of 'x' is outside 1..5 (at i = 2, j = 9)"},
      {"b = [[1,2],[2,2.5]]", "sum((i,j) in b, x[i])", 5, 44, "'b' is not an index list: row 2 contains 2.5"},
      {"b = [[1,2],[2,3]]", "sum((i,j,k) in b, x[i])", 5, 35, "a row of 'b' has 2 indices, the loop names 3"},
      {"b = [[1,2],[2,3]]", "sum(i in b, x[i])", 5, 35, "a row of 'b' has 2 indices, the loop names 1"},
      {"b = [[1,2],[2,3]]", "sum((i,i) in b, x[i])", 5, 38, "the index 'i' stands twice"},
      {"b = 3", "sum(i in b, x[i])", 5, 40, "'b' is not an index list: it is a number"},
      {"b = 3", "b*sum(i in x, x[i])", 5, 42, "'x' is not an index list: it is a coordinate"},
      {"b = [[[1]]]", "sum(i in b, x[i])", 5, 40, "'b' is not an index list: it is a table with 3 indices"},
      {"b = 3", "b*sum(i in bb, x[i])", 5, 42, "unknown name 'bb'"},
  };
  for (const auto& [parameters, text, line, column, message] : cases) {
    try {
      with(parameters, text);
      ADD_FAILURE() << "accepted: " << parameters << ", " << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_EQ(error.column(), column) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  }
}

TEST(Tables, AnIfKeepsATableEntryInRange) {
  const Model m = with("b = [1, 2]", "sum(i in 1..3, if(i < 3, b[i], 0)*x[i])");
  EXPECT_DOUBLE_EQ(potential(m), value_of(m, "x[1] + 2*x[2]"));
}

}  // namespace
}  // namespace cotangent
