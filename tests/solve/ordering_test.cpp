#include "cotangent/solve/direct/ordering.hpp"

#include <gtest/gtest.h>

#include "tests/solve/patterns.hpp"

namespace cotangent {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

TEST(Ordering, KeepsPathsBandsAndRingsInTheCallersOrder) {
  const auto own = natural_order(300);
  EXPECT_EQ(analyse_fill_reducing(PatternGraph(300, path(300))).order, own);
  EXPECT_EQ(analyse_fill_reducing(PatternGraph(300, band(300, 4))).order, own);
  EXPECT_EQ(analyse_fill_reducing(PatternGraph(300, ring(300))).order, own);
}

TEST(Ordering, CausesNoFillOnTrees) {
  const int size = 500;
  EXPECT_EQ(analyse_fill_reducing(PatternGraph(size, renumbered(binary_tree(size), size, 1))).entries, size - 1);
  EXPECT_EQ(analyse_fill_reducing(PatternGraph(size, star(size, 0))).entries, size - 1);
}

}  // namespace
}  // namespace cotangent
