#include "cotangent/derivatives/breakdown.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace cotangent {
namespace {

class BreakdownIn : public testing::Test {
 protected:
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::coordinate), y = graph.new_symbol("y", SymbolKind::coordinate);
  Expr c = graph.new_symbol("c", SymbolKind::parameter);

  // Where x = -1, y = 0, c = 0.
  std::optional<Breakdown> find(Expr e, BreakdownOf of = BreakdownOf::value) {
    return find_breakdown(
        e, [&](SymbolId symbol, auto) { return symbol == x.symbol_id() ? -1.0 : 0.0; }, of);
  }
};

TEST_F(BreakdownIn, FiniteExpressionsIsNone) {
  EXPECT_FALSE(find(x * y + exp(x)));
  EXPECT_FALSE(find(x * y + exp(x), BreakdownOf::derivative));
}

TEST_F(BreakdownIn, IsTheInnermostOperation) {
  const auto found = find(exp(sin(log(x)) + y));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->operation, log(x));
  EXPECT_EQ(found->arguments, std::vector<double>{-1});
  EXPECT_EQ(describe(*found, BreakdownOf::value), "logarithm of -1");
}

TEST_F(BreakdownIn, BranchesThatAreNotTakenDoesNotCount) {
  const Expr below = graph.apply(Op::lt, x, y);
  EXPECT_FALSE(find(select(below, x, log(x))));
  ASSERT_TRUE(find(select(below, 1 / y, log(x))));
  EXPECT_EQ(find(select(below, 1 / y, log(x)))->operation, 1 / y);
  EXPECT_FALSE(find(select(below, x, sqrt(y)), BreakdownOf::derivative));
}

TEST_F(BreakdownIn, SumsHasTheirIndices) {
  const Expr i = graph.new_symbol("i", SymbolKind::index), j = graph.new_symbol("j", SymbolKind::index);
  const Expr inner = graph.sum(j.symbol_id(), graph.constant(1), i, 1 / (i - j - 2 + y));
  const auto found = find(graph.sum(i.symbol_id(), graph.constant(1), graph.constant(5), inner));
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found, BreakdownOf::value), "division by 0, at i = 3, j = 1");
}

TEST_F(BreakdownIn, SlopesIsFoundForWhatVaries) {
  const auto found = find(x * sqrt(y), BreakdownOf::derivative);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->operation, sqrt(y));
  EXPECT_EQ(describe(*found, BreakdownOf::derivative), "square root of 0, whose derivative is inf");
  EXPECT_FALSE(find(x * sqrt(c), BreakdownOf::derivative));
  EXPECT_FALSE(find(sqrt(y * y), BreakdownOf::derivative));
}

// What is infinite is no cause where it has no effect, or where something else is not a number.
TEST_F(BreakdownIn, ProductsIsTheFactorThatIsTheCause) {
  const Expr huge = exp(-1000 * x);
  EXPECT_EQ(find(huge * log(x))->operation, log(x));
  EXPECT_EQ(find(log(x) * huge)->operation, log(x));
  EXPECT_EQ(find(1 / huge + log(y))->operation, log(y));
  EXPECT_EQ(find(huge * y)->operation, huge);
  const Expr i = graph.new_symbol("i", SymbolKind::index);
  const auto found = find(graph.sum(i.symbol_id(), graph.constant(1), graph.constant(3),
                                    select(graph.apply(Op::lt, i, graph.constant(2)), huge, sqrt(2 - i + y))));
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found, BreakdownOf::value), "square root of -1, at i = 3");
}

// A billion terms are not looked through for the sake of a message.
TEST_F(BreakdownIn, LongSumsIsGivenUp) {
  const Expr i = graph.new_symbol("i", SymbolKind::index);
  EXPECT_FALSE(find(graph.sum(i.symbol_id(), graph.constant(1), graph.constant(1e9), y / (i - 1e9))));
}

}  // namespace
}  // namespace cotangent
