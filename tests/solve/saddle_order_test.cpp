#include "cotangent/solve/direct/saddle_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "tests/solve/saddle.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::int64_t entries_of_L(const Bodies& bodies, const std::vector<int>& order) {
  const auto p = bodies.pattern();
  std::vector<MatrixEntry> entries;
  for (const auto& [i, j] : p.couplings) entries.push_back({i, j});
  for (const auto& [r, j] : p.incidences) entries.push_back({p.n + r, j});
  return SparseLu<double>(p.n + p.m, entries, order).entries_of_L();
}

std::int64_t entries_of_L(const Bodies& bodies) { return entries_of_L(bodies, saddle_order(bodies.pattern())); }

class SaddleOrderOf : public testing::TestWithParam<Bodies> {};

INSTANTIATE_TEST_SUITE_P(, SaddleOrderOf, testing::ValuesIn(assemblies()),
                         [](const auto& test) { return test.param.name; });

TEST_P(SaddleOrderOf, HasEveryUnknownOnce) {
  const SaddlePattern p = GetParam().pattern();
  auto numbers = saddle_order(p);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, natural_order(p.n + p.m));
}

TEST_P(SaddleOrderOf, PutsARowRightAfterTheLastOfItsCoordinates) {
  const SaddlePattern p = GetParam().pattern();
  const auto order = saddle_order(p);
  std::vector<int> missing(p.m, 0);
  for (const auto& [r, j] : p.incidences) ++missing[r];
  int last = -1;
  for (const int unknown : order) {
    const int index = unknown < p.n ? unknown : unknown - p.n;
    if (unknown < p.n) {
      // No row is left waiting once its coordinates are complete.
      for (int r = 0; r < p.m; ++r) EXPECT_NE(missing[r], 0) << "row " << r << " before coordinate " << index;
      for (const auto& [r, j] : p.incidences) missing[r] -= j == index;
      last = index;
    } else {
      EXPECT_EQ(missing[index], 0) << "row " << index << " after coordinate " << last;
      missing[index] = -1;
    }
  }
}

TEST_P(SaddleOrderOf, DoesNotDependOnRepeatedPairs) {
  SaddlePattern p = GetParam().pattern();
  const auto order = saddle_order(p);
  for (auto* pairs : {&p.couplings, &p.incidences}) pairs->insert(pairs->end(), pairs->begin(), pairs->end());
  for (int j = 0; j < p.n; ++j) p.couplings.emplace_back(j, j);
  for (std::size_t e = 0; e < p.couplings.size(); e += 2) std::swap(p.couplings[e].first, p.couplings[e].second);
  EXPECT_EQ(saddle_order(p), order);
}

TEST_P(SaddleOrderOf, LosesNoMoreThanThreeDigitsInAPivot) {
  // M has a margin of 0.05 against a diagonal of up to about 10, which is what its own pivots may lose.
  const Bodies& bodies = GetParam();
  const EntryList A = saddle_matrix(bodies, 1, 0);
  SparseLu<double> lu(bodies.n() + bodies.m(), A.entries, saddle_order(bodies.pattern()));
  EXPECT_LT(lu.factor(A.values.data()).growth, 1e3);
}

TEST(SaddleOrder, HasNoZeroPivotWhereRowsFirstHasOne) {
  const Bodies bodies = chain_of_bodies(10);
  const EntryList A = saddle_matrix(bodies, 2, 0);
  std::vector<int> rows_first = natural_order(bodies.n() + bodies.m());
  std::rotate(rows_first.begin(), rows_first.begin() + bodies.n(), rows_first.end());
  SparseLu<double> lu(bodies.n() + bodies.m(), A.entries, rows_first);
  EXPECT_FALSE(lu.factor(A.values.data()).regular);
  EXPECT_EQ(lu.worst_pivot().row, bodies.n());
}

TEST(SaddleOrder, KeepsTheCallersOrderWhereThatCausesNoMoreFill) {
  // Coordinates coupled along a path, with a row at each: 2 entries of L for a coordinate and 1 for a row, from
  // whichever end one begins.
  SaddlePattern p{.n = 40, .m = 40, .couplings = path(40), .incidences = {}};
  std::vector<int> expected;
  for (int j = 0; j < p.n; ++j) {
    p.incidences.emplace_back(j, j);
    expected.insert(expected.end(), {j, p.n + j});
  }
  EXPECT_EQ(saddle_order(p), expected);
}

TEST(SaddleOrder, PutsRowsWithoutCoordinatesLast) {
  const auto order = saddle_order({.n = 2, .m = 3, .couplings = {}, .incidences = {{1, 0}}});
  EXPECT_EQ(order, (std::vector<int>{0, 3, 1, 2, 4}));
  EXPECT_TRUE(saddle_order({}).empty());
}

TEST(SaddleOrder, FillsLinearlyOnAChainWithCoupledMasses) {
  // Along the chain, x, y and the rod before them meet 5, 4 and 3 later unknowns: x is coupled to y, to that rod, to
  // the next body and the rod after.
  for (const bool by_component : {false, true}) {
    for (const int bodies : {1000, 100000}) {
      const double per_body = static_cast<double>(entries_of_L(chain_of_bodies(bodies, by_component))) / bodies;
      EXPECT_NEAR(per_body, 12, 0.1) << bodies << (by_component ? " by component" : "");
    }
  }
}

TEST(SaddleOrder, FillsLessThanEliminatingAllMassesFirst) {
  // ... where the rows fill a dense triangle: four times as much for twice the length.
  const auto masses_first = [](int bodies) {
    const Bodies chain = chain_of_bodies(bodies);
    return static_cast<double>(entries_of_L(chain, natural_order(chain.n() + chain.m())));
  };
  EXPECT_NEAR(masses_first(800) / masses_first(400), 4, 0.2);
  EXPECT_GT(masses_first(400), 400 * 399 / 2);
}

TEST(SaddleOrder, FillsLinearlyOnTreesAndLoopsInAnyNumbering) {
  const auto per_body = [](const OffDiagonal& rods, int bodies) {
    return static_cast<double>(entries_of_L({"", bodies, 2, renumbered(rods, bodies, 3), {0}, true})) / bodies;
  };
  EXPECT_NEAR(per_body(binary_tree(20000), 20000) / per_body(binary_tree(2000), 2000), 1, 0.05);
  EXPECT_NEAR(per_body(ring(20000), 20000) / per_body(ring(2000), 2000), 1, 0.05);
}

TEST(SaddleOrder, CopesWithARowThatHasAllCoordinates) {
  // Its square in G'G would be a full matrix of 2e9 pairs.
  SaddlePattern p = chain_of_bodies(30000).pattern();
  const int all = p.m++;
  for (int j = 0; j < p.n; ++j) p.incidences.emplace_back(all, j);
  const auto order = saddle_order(p);
  EXPECT_EQ(static_cast<int>(order.size()), p.n + p.m);
  const auto place = std::find(order.begin(), order.end(), p.n + all);
  EXPECT_GE(place - order.begin(), p.n + p.m - 2);
}

TEST(SaddleOrder, RejectsIndicesOutOfRange) {
  EXPECT_THROW(saddle_order({.n = 2, .m = 1, .couplings = {{0, 2}}, .incidences = {}}), std::invalid_argument);
  EXPECT_THROW(saddle_order({.n = 2, .m = 1, .couplings = {{-1, 0}}, .incidences = {}}), std::invalid_argument);
  EXPECT_THROW(saddle_order({.n = 2, .m = 1, .couplings = {}, .incidences = {{1, 0}}}), std::invalid_argument);
  EXPECT_THROW(saddle_order({.n = 2, .m = 1, .couplings = {}, .incidences = {{0, 2}}}), std::invalid_argument);
}

}  // namespace
}  // namespace cotangent
