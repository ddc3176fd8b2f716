#include "cotangent/elements/extract.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "cotangent/elements/elements.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"
#include "tests/support/jet.hpp"
#include "tests/support/problems.hpp"

namespace cotangent {
namespace {

using test::Problem;

Elements elements_of(const std::string& text) { return extract_elements(read_model_text(text, "test.toml")); }

/// The values of the elements added up as elements.hpp says, by the reference evaluator.
class SumOverElements {
 public:
  SumOverElements(const Elements& elements, const PhasePoint<Quad>& z) : elements_(elements), z_(z) {
    w_.assign(static_cast<std::size_t>(elements.group_count), 0);
    for (const Family& family : elements.groups) add(family, w_);
  }

  Quad energy() const {
    std::vector<Quad> total(1, 0);
    for (const Family& family : elements_.energy) add(family, total);
    return total[0];
  }
  std::vector<Quad> constraints() const {
    std::vector<Quad> rows(static_cast<std::size_t>(elements_.m), 0);
    for (const Family& family : elements_.constraints) add(family, rows);
    return rows;
  }

 private:
  void add(const Family& family, std::vector<Quad>& out) const {
    for (std::int64_t k = 0; k < family.count; ++k) {
      std::map<SymbolId, Quad> known;
      const LeafValue<Quad> leaf = [&](SymbolId symbol, auto) { return known.at(symbol); };
      for (const auto& index : family.indices) known[index.symbol.symbol_id()] = static_cast<Quad>(index.at(k));
      std::map<SymbolId, Quad> columns;
      for (const auto& column : family.columns) columns[column.symbol.symbol_id()] = evaluate<Quad>(column.value, leaf);
      known = columns;  // f itself may use slots and columns only
      for (const auto& slot : family.slots) {
        const auto& x = slot.space == Space::q ? z_.q : slot.space == Space::p ? z_.p : w_;
        known[slot.symbol.symbol_id()] = x.at(static_cast<std::size_t>(slot.at(k)));
      }
      out.at(static_cast<std::size_t>(family.row(k))) += evaluate<Quad>(family.f, leaf);
    }
  }

  const Elements& elements_;
  const PhasePoint<Quad>& z_;
  std::vector<Quad> w_;
};

class ElementsOf : public testing::TestWithParam<Problem> {};

// 1e-30 is a thousand roundings of a Quad (2e-34); the sums have at most a few dozen terms of order one.
constexpr double kQuadRounding = 1e-30;

TEST_P(ElementsOf, AddUpToTheModel) {
  const Model model = test::read(GetParam());
  const Elements elements = extract_elements(model);
  EXPECT_EQ(elements.n, model.dimension());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto z = test::noisy_point(model, seed, 0.2);
    const SumOverElements sum(elements, z);
    const Quad H = test::evaluate_jet(model, model.energy, z.q, z.p, {}).c[0];
    EXPECT_LE(static_cast<double>(abs(sum.energy() - H)), kQuadRounding);
    const auto g = test::constraint_jets(model, z.q, {});
    const auto rows = sum.constraints();
    ASSERT_EQ(rows.size(), g.size());
    for (std::size_t r = 0; r < g.size(); ++r)
      EXPECT_LE(static_cast<double>(abs(rows[r] - g[r].c[0])), kQuadRounding)
          << elements.row_name(static_cast<std::int64_t>(r));
  }
}

TEST_P(ElementsOf, UseGroupVariablesOnlyAfterTheyAreComplete) {
  const Elements elements = extract_elements(test::read(GetParam()));
  std::vector<std::size_t> last_writer(static_cast<std::size_t>(elements.group_count), 0);
  std::vector<bool> written(static_cast<std::size_t>(elements.group_count), false);
  for (std::size_t f = 0; f < elements.groups.size(); ++f)
    for (std::int64_t k = 0; k < elements.groups[f].count; ++k) {
      last_writer.at(static_cast<std::size_t>(elements.groups[f].row(k))) = f;
      written.at(static_cast<std::size_t>(elements.groups[f].row(k))) = true;
    }
  for (const bool w : written) EXPECT_TRUE(w) << "a group variable that is no sum";
  for (std::size_t f = 0; f < elements.groups.size(); ++f)
    for (const auto& slot : elements.groups[f].slots)
      for (std::int64_t k = 0; slot.space == Space::w && k < elements.groups[f].count; ++k)
        EXPECT_LT(last_writer.at(static_cast<std::size_t>(slot.at(k))), f);
}

INSTANTIATE_TEST_SUITE_P(AllProblems, ElementsOf, testing::ValuesIn(test::problems()),
                         [](const auto& each) { return each.param.name; });

void expect_affine(const IndexMap& map, std::int64_t offset, std::int64_t stride) {
  EXPECT_NE(map.kind(), IndexMap::Kind::list);
  EXPECT_EQ(map.offset(), offset);
  EXPECT_EQ(map.stride(), stride);
}

// x[i] is q[i-1], y[i] is q[N+i-1]; rods are i = 2..N, so instance k has i = k + 2.
TEST(Extraction, OfAChainHasThreeFamiliesWithAffineMapsForAnyLength) {
  for (const std::int64_t N : {10, 1'000'000}) {
    const Elements e = extract_elements(test::read(test::chain(static_cast<int>(N))));
    EXPECT_EQ(e.n, 2 * N);
    EXPECT_EQ(e.m, N);
    EXPECT_EQ(e.group_count, 0);
    ASSERT_EQ(e.energy.size(), 1U);
    ASSERT_EQ(e.constraints.size(), 2U);

    const Family& masses = e.energy[0];
    EXPECT_EQ(masses.count, N);
    expect_affine(masses.row, 0, 0);
    std::set<std::pair<Space, std::int64_t>> read;
    for (const auto& slot : masses.slots) {
      expect_affine(slot.at, slot.at.offset(), 1);
      read.emplace(slot.space, slot.at.offset());
    }
    EXPECT_EQ(read, (std::set<std::pair<Space, std::int64_t>>{{Space::p, 0}, {Space::p, N}, {Space::q, N}}));

    const Family& anchor = e.constraints[0];
    EXPECT_EQ(anchor.count, 1);
    EXPECT_EQ(anchor.row(0), 0);

    const Family& rods = e.constraints[1];
    EXPECT_EQ(rods.count, N - 1);
    expect_affine(rods.row, 1, 1);
    std::set<std::int64_t> offsets;
    for (const auto& slot : rods.slots) {
      EXPECT_EQ(slot.space, Space::q);
      expect_affine(slot.at, slot.at.offset(), 1);
      offsets.insert(slot.at.offset());
    }
    EXPECT_EQ(offsets, (std::set<std::int64_t>{0, 1, N, N + 1}));
    EXPECT_TRUE(rods.columns.empty());
  }
}

TEST(Extraction, OfAPairSumVisitsEachPairOnce) {
  const Elements e = extract_elements(test::read(test::problem("pair_sums")));
  const Family* pairs = nullptr;
  for (const Family& family : e.energy)
    if (family.count == 10) pairs = &family;  // 5 * 4 / 2
  ASSERT_NE(pairs, nullptr);
  EXPECT_EQ(pairs->slots.size(), 4U);
  std::set<std::set<std::int64_t>> seen;
  for (std::int64_t k = 0; k < pairs->count; ++k) {
    std::set<std::int64_t> particles;
    for (const auto& slot : pairs->slots) particles.insert(slot.at(k) % 5);
    EXPECT_EQ(particles.size(), 2U);
    seen.insert(particles);
  }
  EXPECT_EQ(seen.size(), 10U);
}

std::string model_of(const std::string& hamiltonian, const std::string& constraints = "") {
  return fmt::format(R"toml(
[parameters]
N = 6
c = 2.5
[system]
coordinates = ["x[N]", "r[4,2]", "s"]
hamiltonian = """{}"""
[constraints]
{}
[initial]
x = 0
r = 0
s = 0
p_x = 0
p_r = 0
p_s = 0
)toml",
                     hamiltonian, constraints);
}

TEST(Extraction, TurnsAFunctionOfALongSumIntoOneGroupVariable) {
  const Elements e = elements_of(model_of("sqrt(1 + sum(i in 1..N, p_x[i]^2)) + exp(sum(i in 1..N, p_x[i]^2))*s"));
  EXPECT_EQ(e.group_count, 1) << "equal sums are one variable";
  ASSERT_EQ(e.groups.size(), 1U);
  EXPECT_EQ(e.groups[0].count, 6);
  EXPECT_EQ(e.groups[0].slots.size(), 1U);
  ASSERT_EQ(e.energy.size(), 1U);
  EXPECT_EQ(e.energy[0].count, 1);
}

TEST(Extraction, GivesASumThatDependsOnTheOuterIndexOneGroupVariablePerInstance) {
  const Elements e = elements_of(model_of("sum(i in 1..3, sin(sum(j in 1..N, i*x[j])))"));
  EXPECT_EQ(e.group_count, 3);
  ASSERT_EQ(e.energy.size(), 1U);
  ASSERT_EQ(e.energy[0].slots.size(), 1U);
  EXPECT_EQ(e.energy[0].slots[0].space, Space::w);
  std::set<std::int64_t> used;
  for (std::int64_t k = 0; k < 3; ++k) used.insert(e.energy[0].slots[0].at(k));
  EXPECT_EQ(used, (std::set<std::int64_t>{0, 1, 2}));
}

TEST(Extraction, FindsAllPartialSumsTogether) {
  // Of 40 terms: 40 log2(64) additions, and not 40^2 / 2; sums inside sums do not multiply.
  const std::string angle = "sum(k in 1..j, x[k])";
  const Model model = read_model_text(
      "[parameters]\nN = 40\n[system]\ncoordinates = [\"x[N]\"]\nhamiltonian = \"sum(i in 1..N, p_x[i]^2 + (sum(j in "
      "1..i, "
      "cos(" +
          angle + ")))^2 + sum(j in 1..i, sin(" + angle +
          ")) + exp(-sum(j in 1..i-1, x[j])^2))\"\n[initial]\nx = 0\n"
          "p_x = 0\n",
      "test.toml");
  const Elements e = extract_elements(model);
  std::int64_t additions = 0;
  for (const auto* families : {&e.groups, &e.energy})
    for (const Family& family : *families) additions += family.count;
  EXPECT_LT(additions, 40 * (4 * 2 * 6 + 10));
  const auto z = test::noisy_point(model, 1, 0.2);
  const Quad H = test::evaluate_jet(model, model.energy, z.q, z.p, {}).c[0];
  EXPECT_LE(static_cast<double>(abs(SumOverElements(e, z).energy() - H)), kQuadRounding);
}

TEST(Extraction, SharesASumThatDoesNotDependOnTheOuterIndex) {
  const Elements e = elements_of(model_of("sum(i in 1..N, sin(x[i]*sum(j in 1..N, x[j])))"));
  EXPECT_EQ(e.group_count, 1);
}

TEST(Extraction, WritesShortInnerSumsOut) {
  const Elements e = elements_of(model_of("sum(i in 1..4, sqrt(1 + sum(k in 1..2, p_r[i,k]^2)))"));
  EXPECT_EQ(e.group_count, 0);
  ASSERT_EQ(e.energy.size(), 1U);
  EXPECT_EQ(e.energy[0].count, 4);
  EXPECT_EQ(e.energy[0].slots.size(), 2U);
}

TEST(Extraction, DistributesCoefficientsOverSumsInsteadOfMakingGroups) {
  const Elements e = elements_of(model_of("c*sum(i in 1..N, x[i]^2)/3 - 2*(sum(i in 1..N, p_x[i]^2) + s)"));
  EXPECT_EQ(e.group_count, 0);
}

TEST(Extraction, MovesWhatDependsOnTheIndexAloneToColumns) {
  const Elements e = elements_of(model_of("sum(i in 1..N, if(i == 2, c, exp(i))*x[i]^2 + c*p_x[i]^2)"));
  ASSERT_EQ(e.energy.size(), 1U);
  const Family& family = e.energy[0];
  ASSERT_EQ(family.columns.size(), 1U) << "c is a number, not a column";
  ASSERT_EQ(family.indices.size(), 1U);
  const auto column_at = [&](std::int64_t k) {
    return static_cast<double>(evaluate<Quad>(
        family.columns[0].value, [&](SymbolId, auto) { return static_cast<Quad>(family.indices[0].at(k)); }));
  };
  EXPECT_EQ(column_at(1), 2.5);                                  // i = 2
  EXPECT_DOUBLE_EQ(column_at(2) / column_at(0), std::exp(2.0));  // i = 3 and i = 1
}

TEST(Extraction, StoresTheFirstIndexOfAnArrayFastest) {
  const Elements e = elements_of(model_of("sum(i in 1..4, r[i,2]^2)"));
  ASSERT_EQ(e.energy.size(), 1U);
  ASSERT_EQ(e.energy[0].slots.size(), 1U);
  expect_affine(e.energy[0].slots[0].at, 6 + 4, 1);  // after the six x, the second column of r[4,2]
}

TEST(Extraction, OfAnEmptyLoopIsNothing) {
  const Elements e = elements_of(
      model_of("s^2 + sum(i in 1..0, x[i])", "none = { each = 'i in 2..1', equation = 'x[i] = 0' }\nsome = 's = 1'"));
  EXPECT_EQ(e.energy.size(), 1U);
  EXPECT_EQ(e.m, 1);
  EXPECT_EQ(e.row_name(0), "some");
}

TEST(Extraction, KeepsFamiliesOfLongSumsOfScalarTermsSmall) {
  std::string terms = "s";
  for (int i = 1; i <= 6; ++i)
    for (int j = 1; j <= 4; ++j) terms += fmt::format(" + sin(x[{}]*r[{},1])*p_x[{}]", i, j, i);
  const Elements e = elements_of(model_of(terms));
  EXPECT_GT(e.energy.size(), 1U);
  for (const Family& family : e.energy) EXPECT_LE(family.slots.size(), 24U);
}

TEST(Extraction, OfASumOfVeryManyTermsIsTheirSum) {
  std::string terms = "s";
  for (int k = 1; k < 30'000; ++k) terms += "+s";
  const Elements e = elements_of(model_of(terms));
  const PhasePoint<Quad> z(e.n, 0);
  PhasePoint<Quad> one = z;
  std::fill(one.q.begin(), one.q.end(), Quad(1));
  EXPECT_EQ(SumOverElements(e, one).energy(), 30'000);
}

TEST(Extraction, OfASumThatContainsAnotherManyTimesVisitsItOnce) {
  std::string text = model_of("d60") + "[definitions]\nd0 = 's^2'\n";
  for (int k = 1; k <= 60; ++k) text += fmt::format("d{0} = '(d{1} + s*x[1]) + (d{1} + s*x[2])'\n", k, k - 1);
  const Elements e = elements_of(text);
  PhasePoint<Quad> one(e.n, 0);
  std::fill(one.q.begin(), one.q.end(), Quad(1));
  const Quad expected = 3 * static_cast<Quad>(std::int64_t{1} << 60) - 2;  // f(k) = 2 f(k-1) + 2, f(0) = 1
  EXPECT_EQ(SumOverElements(e, one).energy(), expected);
}

TEST(Extraction, RefusesMoreInstancesThanCanBeListed) {
  const char* sums[] = {"sum(i in 1..10^6, j in 1..i, s*sin(i*j))",
                        "sum(i in 3*10^9..3*10^9+9, j in 1..i-3*10^9, i*s)"};
  for (const char* sum : sums) EXPECT_THROW(elements_of(model_of(sum)), std::invalid_argument) << sum;
  const char* constraints = "many = { each = 'i in 1..10^9', equation = 's = i' }";
  EXPECT_THROW(elements_of(model_of("s", constraints)), std::invalid_argument);
}

TEST(Extraction, NamesRowsAsTheUserDoes) {
  const Elements e = elements_of(model_of("s", R"(anchor = "x[1] = 0"
rod = { each = "i in 2..4", equation = "x[i] = x[i-1]" }
grid = { each = "i in 1..2, k in 1..2", equation = "r[i,k] = i*k" })"));
  ASSERT_EQ(e.m, 8);
  const std::array<std::string, 8> names = {"anchor",    "rod[2]",    "rod[3]",    "rod[4]",
                                            "grid[1,1]", "grid[1,2]", "grid[2,1]", "grid[2,2]"};
  for (std::int64_t r = 0; r < e.m; ++r) EXPECT_EQ(e.row_name(r), names[static_cast<std::size_t>(r)]);
}

TEST(Extraction, RefusesAnIndexThatLeavesItsArray) {
  Model model = read_model_text(model_of("s"), "test.toml");
  Graph& graph = *model.graph;
  const SymbolId i = graph.declare("i", SymbolKind::index);
  const std::array index = {graph.symbol_expr(i) + 1.0};
  const Expr beyond = graph.entry(model.coordinates[0].q, index);
  model.energy = graph.sum(i, graph.constant(1), graph.constant(6), beyond);  // x[7]
  EXPECT_THROW(extract_elements(model), std::invalid_argument);
  model.energy = graph.sum(i, graph.constant(0), graph.constant(5), beyond);  // x[1..6]
  EXPECT_NO_THROW(extract_elements(model));
}

}  // namespace
}  // namespace cotangent
