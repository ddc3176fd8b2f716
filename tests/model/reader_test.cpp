#include "cotangent/model/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reading/assignments.hpp"

namespace cotangent {
namespace {

constexpr const char* kModel = R"toml(
[parameters]
m = 0.1
N = 5
k = "2*m + c"        # any order
c = "N - 1"

[definitions]
twice = "2*once"
once = "x + 1"
total = "sum(i in 1..N, q[i])"

[system]
coordinates = ["x", "q[N]", "r[2,3]"]
hamiltonian = "p_x^2/(2*m) + sum(i in 1..N, p_q[i]^2/2) + sum(i in 1..2, a in 1..3, p_r[i,a]^2/2)"

[initial]
x = "k"
q = "i^2"
r = [[1, 2, 3], ["m", "-m", "m/2"]]
p_x = 0
p_q = { each = "i in 1..N", value = "i*m" }
v_r = "10*i + j"
)toml";

Model model(const Overrides& overrides = {}) { return read_model_text(kModel, "test.toml", overrides); }

// With H = p_x^2/(2 m) replaced by something else.
Model with_hamiltonian(const std::string& text) {
  std::string all = kModel;
  const auto begin = all.find("hamiltonian"), end = all.find('\n', begin);
  return read_model_text(all.replace(begin, end - begin, "hamiltonian = '''" + text + "'''"), "test.toml");
}

double parameter(const Model& m, const std::string& name) {
  for (const auto& p : m.parameters)
    if (p.name == name) return static_cast<double>(p.value);
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

// Values of all initial entries by name, "q[2]"; later ones replace earlier ones.
std::map<std::string, double> initial_values(const Model& m) {
  std::map<std::string, double> result;
  std::map<SymbolId, double> known;
  for (const auto& p : m.parameters) known[p.symbol] = static_cast<double>(p.value);
  const auto value = [&](Expr e) {
    return evaluate<double>(e, [&](SymbolId symbol, std::span<const std::int64_t>) { return known.at(symbol); });
  };
  for (const auto& initial : m.initial) {
    const std::function<void(std::size_t)> visit = [&](std::size_t level) {
      if (level < initial.loops.size()) {
        const auto& loop = initial.loops[level];
        const double hi = value(loop.hi);
        for (double i = value(loop.lo); i <= hi; ++i) {
          known[loop.index] = i;
          visit(level + 1);
        }
        return;
      }
      std::string name = m.graph->symbol(initial.target).name, separator = "[";
      for (const Expr index : initial.indices) {
        name += separator + std::to_string(static_cast<int>(value(index)));
        separator = ",";
      }
      result[initial.indices.empty() ? name : name + "]"] = value(initial.value);
    };
    visit(0);
  }
  return result;
}

TEST(Reader, ReadsThePendulumOfTheInterface) {
  const Model m = read_model(COTANGENT_SOURCE_DIR "/models/pendulum.toml");
  EXPECT_EQ(m.name, "pendulum");
  EXPECT_EQ(m.title, "Planar pendulum in Cartesian coordinates");
  EXPECT_EQ(m.dimension(), 2);
  ASSERT_EQ(m.constraints.size(), 1U);
  EXPECT_EQ(m.constraints[0].name, "rod");
  EXPECT_TRUE(m.constraints[0].loops.empty());
  EXPECT_EQ(m.energy, read_expression(m, "(p_x^2 + p_y^2)/(2*m) + m*g*y"));
  EXPECT_EQ(m.constraints[0].components[0], read_expression(m, "(x^2 + y^2 - l^2)/2"));
  EXPECT_EQ(std::get<std::string>(m.run.at("method")), "rattle");
  EXPECT_EQ(std::get<double>(m.run.at("step")), 0.01);
  EXPECT_EQ(std::get<double>(m.run.at("end")), 100.0);
  EXPECT_EQ(initial_values(m).at("p_y"), -2.0);
  EXPECT_TRUE(m.notes.empty());
}

TEST(Reader, ReadsEveryModelOfTheZoo) {
  for (const char* name : {"pendulum", "double_pendulum", "chain", "spherical_pendulum", "bead_on_wire"}) {
    const Model m = read_model(std::string(COTANGENT_SOURCE_DIR "/models/") + name + ".toml");
    EXPECT_FALSE(m.title.empty()) << name;
    EXPECT_TRUE(m.notes.empty()) << name;
  }
}

TEST(Reader, AChainOfAMillionCostsAsMuchAsOneOfTen) {
  const Model small = read_model(COTANGENT_SOURCE_DIR "/models/chain.toml", {"N=10"});
  const Model large = read_model(COTANGENT_SOURCE_DIR "/models/chain.toml", {"N=1000000"});
  EXPECT_EQ(large.dimension(), 2'000'000);
  EXPECT_EQ(large.graph->node_count(), small.graph->node_count());
  EXPECT_EQ(to_string(large.constraints[1].components[0]), to_string(small.constraints[1].components[0]));
  EXPECT_TRUE(large.constraints[1].loops[0].hi.is_constant(1e6));
}

TEST(Reader, ParametersMayDependOnEachOtherInAnyOrder) {
  const Model m = model();
  EXPECT_EQ(m.parameters[0].name, "m");
  EXPECT_EQ(m.parameters[3].name, "c");
  EXPECT_EQ(parameter(m, "c"), 4);
  EXPECT_EQ(parameter(m, "k"), 4.2);
}

TEST(Reader, DecimalsOfTheFileAreExactToQuadPrecision) {
  EXPECT_TRUE(model().parameters[0].value == static_cast<Quad>(1) / 10);
  EXPECT_TRUE(model({"m=0.3"}).parameters[0].value == static_cast<Quad>(3) / 10);
}

TEST(Reader, InitialValuesComeAsNumbersExpressionsListsAndFamilies) {
  const auto values = initial_values(model());
  EXPECT_EQ(values.size(), 2 * (1 + 5 + 6));
  EXPECT_EQ(values.at("x"), 4.2);
  EXPECT_EQ(values.at("q[3]"), 9);
  EXPECT_EQ(values.at("r[1,3]"), 3);
  EXPECT_EQ(values.at("r[2,2]"), -0.1);
  EXPECT_DOUBLE_EQ(values.at("p_q[4]"), 0.4);
  EXPECT_EQ(values.at("v_r[2,3]"), 23);
}

TEST(Reader, ListsOfNumbersAreTablesAndListsWithExpressionsAreNot) {
  const auto read = [](const std::string& values, const Overrides& set = {}) {
    return read_model_text(
        "[parameters]\na = 7\n[system]\ncoordinates = [\"r[2,3]\"]\nhamiltonian = \"norm2(p_r[1])\"\n"
        "[initial]\np_r = 0\nr = " +
            values + "\n",
        "test.toml", set);
  };
  const Model numbers = read("[[1, 2, 3], [4.5, 5, 6]]");
  EXPECT_EQ(numbers.initial.size(), 2U);  // of p_r, of r
  ASSERT_EQ(numbers.parameters.size(), 2U);
  EXPECT_EQ(numbers.parameters[1].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(static_cast<double>(numbers.parameters[1].table[1]), 4.5);  // the first index runs fastest
  EXPECT_EQ(static_cast<double>(numbers.parameters[1].table[4]), 3);
  EXPECT_EQ(read("[[1, 2, 3], [4.5, 5, 6]]", {"r[2,3]=8"}).initial.size(), 3U);
  EXPECT_EQ(read("[[1, 2, 3], [\"a\", 5, 6]]").initial.size(), 7U);
  EXPECT_THROW(read("[[1, 2, 3], [4, 5]]"), ModelError);
  EXPECT_THROW(read("[[1, 2, 3], [4, 5, inf]]"), ModelError);
}

TEST(Reader, OverridesReachParametersInitialValuesAndAllThatDependsOnThem) {
  const Model m = model({"m = 1/2", "N=7", "p_x = -k", "q[2] = 100", "p_r = 0"});
  EXPECT_EQ(parameter(m, "m"), 0.5);
  EXPECT_EQ(parameter(m, "c"), 6);
  EXPECT_EQ(parameter(m, "k"), 7);
  EXPECT_EQ(m.coordinates[1].shape[0], 7);
  const auto values = initial_values(m);
  EXPECT_EQ(values.at("x"), 7);
  EXPECT_EQ(values.at("p_x"), -7);
  EXPECT_EQ(values.at("q[2]"), 100);
  EXPECT_EQ(values.at("q[7]"), 49);
  EXPECT_EQ(values.at("p_r[1,1]"), 0);
  EXPECT_FALSE(values.contains("v_r[1,1]"));  // a momentum replaces the velocity of the file
  EXPECT_EQ(parameter(model({"m=1", "m=2"}), "m"), 2);
}

TEST(Reader, OverridesOfNothingAreRefused) {
  const auto expect = [](const char* text, std::size_t column, const char* message, const char* suggestion) {
    try {
      model({text});
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.file(), "`set`");
      EXPECT_EQ(error.line(), 1U);
      EXPECT_EQ(error.column(), column) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
      EXPECT_NE(error.suggestion().find(suggestion), std::string::npos) << error.what();
    }
  };
  expect("n_x=1", 1, "no parameter and no initial value 'n_x'", "'p_x'");
  expect("N", 1, "expected NAME=VALUE", "N=100");
  expect("=3", 1, "expected NAME=VALUE", "");
  expect(" =3", 2, "no parameter", "");
  expect("N=", 3, "expected an expression", "");
  expect("m=1/0", 3, "division by zero", "");
  expect("m=zz", 3, "unknown name 'zz'", "");
  expect("q[9]=1", 3, "outside 1..5", "");
  expect("once=1", 1, "no parameter", "");
}

TEST(Reader, DefinitionsAreExpandedWhereTheyAreUsed) {
  const Model m = with_hamiltonian("twice*p_x");
  EXPECT_EQ(m.energy, read_expression(m, "2*(x + 1)*p_x"));
}

TEST(Reader, TheIndexOfADefinitionIsNotCapturedByTheLoopAroundIt) {
  const Model m = with_hamiltonian("sum(i in 1..N, i*total)");
  const double value =
      evaluate<double>(m.energy, [](SymbolId, std::span<const std::int64_t> i) { return static_cast<double>(i[0]); });
  EXPECT_EQ(value, 15 * 15);
  EXPECT_EQ(read_expression(m, to_string(m.energy)), m.energy);
}

TEST(Reader, EqualSumsAreOneNode) {
  const Model m = with_hamiltonian("sum(i in 1..N, q[i]) - sum(i in 1..N, q[i])");
  EXPECT_TRUE(m.energy.is_constant(0));
}

TEST(Reader, NestedSumsSeeTheIndicesAroundThem) {
  const Model sugar = with_hamiltonian("sum(i in 1..N, j in i+1..N, q[i]*q[j])");
  EXPECT_EQ(sugar.energy, read_expression(sugar, "sum(i in 1..5, sum(j in i+1..5, q[i]*q[j]))"));
  const double pairs = evaluate<double>(sugar.energy, [](SymbolId, std::span<const std::int64_t>) { return 1.0; });
  EXPECT_EQ(pairs, 10);
}

TEST(Reader, IndicesAreCheckedOnlyWhereTheyAreUsed) {
  EXPECT_NO_THROW(with_hamiltonian("sum(i in 1..N, j in i+1..N, q[i+1]*q[j-i])"));  // no j for i = N
  EXPECT_NO_THROW(with_hamiltonian("sum(i in 3..2, q[i+100])"));                    // no i at all
  EXPECT_NO_THROW(with_hamiltonian("sum(i in 1..N, q[N + 1 - i])"));
  EXPECT_NO_THROW(with_hamiltonian("sum(i in 1..N, q[min(i + 1, N)])"));
  EXPECT_NO_THROW(with_hamiltonian("sum(i in 1..4, q[(i^2 - 5*i + 10)/2])"));  // 3, 2, 2, 3
}

TEST(Reader, AnIndexGuardedByAConditionStaysInRange) {
  const Model m = with_hamiltonian("sum(i in 1..N, if(i > 1, q[i-1], 0))");
  const double value =
      evaluate<double>(m.energy, [](SymbolId, std::span<const std::int64_t> i) { return static_cast<double>(i[0]); });
  EXPECT_EQ(value, 1 + 2 + 3 + 4);
  EXPECT_NE(to_string(m.energy).find("max"), std::string::npos);  // harmless where it is not chosen
}

TEST(Reader, OnlyTheChosenBranchOfAConstantConditionHasToBeDefined) {
  EXPECT_EQ(parameter(model({"k = if(N > 1, 3, 1/0)"}), "k"), 3);
}

TEST(Reader, ConstantsAreKnownUntilAParameterTakesTheirName) {
  EXPECT_NEAR(parameter(model({"k=2*pi"}), "k"), 6.283185307179586, 1e-15);
  const Model m = read_model_text(
      "[parameters]\ne = 3\na = \"e\"\n[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2\"\n"
      "[initial]\nx = 0\np_x = 0\n",
      "test.toml");
  EXPECT_EQ(parameter(m, "a"), 3);
  ASSERT_EQ(m.notes.size(), 2U);
  EXPECT_EQ(m.notes[0], "test.toml:2:1: the parameter 'e' hides the constant of that name");
  EXPECT_EQ(m.notes[1], "test.toml:3:1: nothing uses the parameter 'a'");
}

TEST(Reader, AnIndexHidesAParameterWithANoteWhereItIsUsed) {
  const char* text =
      "[parameters]\ni = 3\n[system]\ncoordinates = [\"x[2]\"]\nhamiltonian = \"i*p_x[1]^2\"\n"
      "[initial]\nx = \"i\"\np_x = 0\n";
  const Model m = read_model_text(text, "test.toml");
  EXPECT_EQ(initial_values(m).at("x[2]"), 2);
  ASSERT_EQ(m.notes.size(), 1U);
  EXPECT_EQ(m.notes[0], "test.toml:7:6: the index 'i' hides the parameter of that name here");
}

TEST(Reader, RunKeysAreKeptAndNumbersMayBeExpressions) {
  const std::string text = std::string(kModel) +
                           "[run]\nstep = \"m/10\"\nend = 1\nevery = \"N\"\nmethod = \"gauss:2\"\nquiet = true\n"
                           "monitor = [\"energy\", \"position\"]\nother = 2\n";
  const RunKey keys[]{
      {"step", RunKind::real}, {"end", RunKind::real}, {"every", RunKind::integer}, {"monitor", RunKind::list}};
  const Model m = read_model_text(text, "test.toml", {}, keys);
  EXPECT_EQ(std::get<double>(m.run.at("step")), 0.01);
  EXPECT_EQ(std::get<double>(m.run.at("end")), 1.0);
  EXPECT_EQ(std::get<std::int64_t>(m.run.at("every")), 5);
  EXPECT_EQ(std::get<std::string>(m.run.at("method")), "gauss:2");
  EXPECT_EQ(std::get<bool>(m.run.at("quiet")), true);
  EXPECT_EQ(std::get<std::string>(m.run.at("monitor")), "energy,position");
  EXPECT_EQ(std::get<std::int64_t>(m.run.at("other")), 2);
  EXPECT_EQ(to_string(m.run_places.at("method").value), "test.toml:28:11");
  EXPECT_EQ(to_string(m.run_places.at("end").key), "test.toml:26:1");
  EXPECT_EQ(to_string(m.run_places.at("end").value), "test.toml:26:7");
}

TEST(Reader, EntriesAndListsOfFamiliesRefineAnArray) {
  std::string text = kModel;
  const std::string from = "q = \"i^2\"";
  text.replace(text.find(from), from.size(),
               "\"q[2]\" = 7\nq = [{ each = \"i in 1..N\", value = 1 }, { each = \"i in 4..N\", value = \"i\" }]");
  const auto values = initial_values(read_model_text(text, "test.toml"));
  EXPECT_EQ(values.at("q[1]"), 1);
  EXPECT_EQ(values.at("q[2]"), 7);
  EXPECT_EQ(values.at("q[5]"), 5);
}

// The initial values of x[6], evaluated one after the other.
std::vector<double> chain(const std::string& initial, const Overrides& overrides = {}) {
  const Model m = read_model_text(
      "[parameters]\nback = [1, 1, 1, 2, 2, 3]\nc = 2\n[system]\ncoordinates = [\"x[6]\"]\n"
      "hamiltonian = \"norm2(p_x)\"\n[initial]\n" +
          initial + "\np_x = \"back[1]*c\"\n",
      "test.toml", overrides);
  std::vector<double> x(6, std::nan(""));
  for (const auto& a : m.initial) {
    if (a.target != m.coordinates[0].q) continue;
    EXPECT_TRUE(a.loops.empty());
    x.at(static_cast<std::size_t>(a.indices[0].value()) - 1) =
        evaluate<double>(a.value, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
          for (const auto& p : m.parameters)
            if (p.symbol == symbol)
              return static_cast<double>(indices.empty() ? p.value : p.table[static_cast<std::size_t>(indices[0]) - 1]);
          return x.at(static_cast<std::size_t>(indices[0]) - 1);
        });
  }
  return x;
}

TEST(Reader, EntriesOfAnArrayMayUseEachOther) {
  using Values = std::vector<double>;
  EXPECT_EQ(chain("x = \"if(i == 1, 0, x[i-1] + c)\""), (Values{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(chain("x = \"if(i == 6, 0, x[i+1] + 1)\""), (Values{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(chain("x = { each = \"i in 2..6\", value = \"x[1]*i\" }\n\"x[1]\" = 5"), (Values{5, 10, 15, 20, 25, 30}));
  EXPECT_EQ(chain("x = \"x[1]*i\"\n\"x[1]\" = 5"), (Values{5, 10, 15, 20, 25, 30}));
  EXPECT_EQ(chain("x = \"1 + sum(j in 1..i-1, x[j])\""), (Values{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(chain("x = \"if(i == 1, 1, x[back[i]] + 1)\""), (Values{1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(chain("x = [{ each = \"i in 1..3\", value = \"x[i+3]\" }, { each = \"i in 4..6\", value = \"i\" }]"),
            (Values{4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(chain("x = \"if(i == 1, 0, x[i-1] + 1)\"", {"x[3]=9"}), (Values{0, 1, 9, 10, 11, 12}));
}

TEST(Reader, EntriesThatUseEachOtherAreLimited) {
  const auto text = [](int n) {
    return "[system]\ncoordinates = [\"x[" + std::to_string(n) +
           "]\"]\nhamiltonian = \"sum(i in 1..3, p_x[i]^2)\"\n[initial]\nx = \"if(i == 1, 0, x[i-1] + 1)\"\np_x = 0\n";
  };
  EXPECT_EQ(read_model_text(text(10'000), "test.toml").initial.size(), 10'001U);
  try {
    read_model_text(text(10'001), "test.toml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("more than 10000 entries whose initial values use each other"), std::string::npos);
  }
}

TEST(Reader, PrintingAnExpressionAndReadingItAgainGivesTheSameNode) {
  const Model m = model();
  const std::vector<std::string> texts{
      "x",
      "-x",
      "-x^2",
      "(-x)^2",
      "x - 1",
      "1 - x",
      "-(x + 1)",
      "x - (m - k)",
      "x*(m + k)",
      "x/(m*k)",
      "x/m/k",
      "x/(m/k)",
      "x*m/k",
      "-x*m",
      "-(x*m)",
      "2*x",
      "-2*x",
      "x*-3",
      "0.1*x",
      "1e-30*x",
      "x/3",
      "2/3*x",
      "1/x",
      "x^m^k",
      "(x^m)^k",
      "x^-2",
      "2^-x",
      "2^(x + 1)",
      "x^(1/2)",
      "(2*x)^2",
      "sqrt(x)^2",
      "exp(-x^2/2)",
      "sin(x)*cos(x) - tan(x)/asin(m)",
      "acos(m) + atan(x) + sinh(x) + cosh(x) + tanh(x)",
      "log(abs(x) + 1)",
      "floor(x) - ceil(x)*round(m) + mod(x, -m) + sign(x)",
      "erf(x) + erfc(x/2)",
      "atan2(x, -m)",
      "min(x, m) + max(x, m, k)",
      "pow(x, 2.5)",
      "if(x > 0, x, -x)",
      "if(x <= m, 1, if(x != 3, 2, 3))",
      "if(x >= m, 1, 0)*2",
      "(x < m) + (x == k)",
      "q[1] + q[N]",
      "r[2,3]*p_r[1,1] - v_r[1,2]",
      "p_x*v_x*t",
      "sum(i in 1..N, q[i]^2)",
      "sum(i in 2..N, (q[i] - q[i-1])^2)/2",
      "sum(i in 1..N, i*q[i])",
      "sum(i in 1..N, j in i+1..N, 1/abs(q[i] - q[j]))",
      "sum(i in 1..2, a in 1..3, r[i,a]^2)",
      "sum(i in 1..N, if(i > 1, q[i-1], x))",
      "sum(i in 1..N, q[N + 1 - i])",
      "pi*x + e",
      "x - 2*m + 3*k - 4",
      "-(2*x)^3",
      "(x + 1)*(x - 1)",
      "(x*m)^2/(k - x)^3",
      "1/(1/x)",
      "-1/x",
      "-x/m",
      "(x - 1)^2*(m - 1)",
      "m*(x < 1)",
      "(x < 1)/m",
      "((x < 1) < m)",
      "-(x < 1)",
      "(x + m < 1)^2",
  };
  for (const auto& text : texts) {
    const Expr e = read_expression(m, text);
    const std::string printed = to_string(e);
    EXPECT_EQ(read_expression(m, printed), e)
        << text << " is printed as " << printed << " and read as " << to_string(read_expression(m, printed));
  }
}

TEST(Reader, LongSumsAreReadWithoutDeepRecursion) {
  std::string text = "0";
  for (int k = 0; k < 3000; ++k) text += " + " + std::to_string(k) + "*x^" + std::to_string(k);
  EXPECT_NO_THROW(with_hamiltonian(text));
}

// What a target is given is found without looking at the others: reading these would otherwise take minutes.
TEST(Reader, TakesAsManyNamesAndStatementsAsOneWrites) {
  constexpr int kMany = 50'000;
  std::string names, values, entries;
  for (int k = 1; k <= kMany; ++k) {
    names += fmt::format("\"x{}\",", k);
    values += fmt::format("x{0} = {0}\nv_x{0} = 0\n", k);
    entries += fmt::format("\"y[{0}]\" = {0}\n", k);
  }
  const Model model = read_model_text(
      fmt::format("[system]\ncoordinates = [{}\"y[{}]\"]\nhamiltonian = \"p_x1^2/2\"\n[forces]\nx1 = 1\n"
                  "[initial]\n{}p_y = 0\n{}",
                  names, kMany, values, entries),
      "test.toml");
  EXPECT_EQ(model.dimension(), 2 * kMany);
  EXPECT_EQ(model.initial.size(), 3U * kMany + 1);

  const ParameterMap no_parameters;
  const AssignedEntries assigned(model.initial, no_parameters);
  EXPECT_EQ(assigned.of(model.coordinates[kMany / 2].q).size(), 1U);
  EXPECT_EQ(assigned.of(model.coordinates[kMany].q).size(), static_cast<std::size_t>(kMany));
}

}  // namespace
}  // namespace cotangent
