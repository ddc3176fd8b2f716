#include "cotangent/expr/expr.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

class ExprTest : public testing::Test {
 protected:
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::coordinate);
  Expr y = graph.new_symbol("y", SymbolKind::coordinate);

  double at(Expr e, double x_value, double y_value) {
    return evaluate<double>(e, [&](SymbolId id, auto) { return id == x.symbol_id() ? x_value : y_value; });
  }
};

TEST_F(ExprTest, TheSameExpressionIsTheSameNode) {
  EXPECT_EQ(x * y + 1, 1 + y * x);
  EXPECT_EQ(sin(x + y), sin(y + x));
  EXPECT_FALSE(x - y == y - x);
  EXPECT_FALSE(graph.new_symbol("x", SymbolKind::coordinate) == x);
}

TEST_F(ExprTest, LikeTermsMeet) {
  EXPECT_EQ(x + x, 2 * x);
  EXPECT_EQ(3 * x - x, 2 * x);
  EXPECT_EQ(x - x, graph.constant(0));
  EXPECT_EQ(x * x, pow(x, 2));
  EXPECT_EQ(x * x * x, pow(x, 3));
  EXPECT_EQ((2 * x) * (3 * y), 6 * (x * y));
  EXPECT_EQ((x + 1) + (y - 1), x + y);
  EXPECT_EQ((2 * x) / 4, 0.5 * x);
}

TEST_F(ExprTest, NeutralAndAbsorbingElementsVanish) {
  EXPECT_EQ(x + 0, x);
  EXPECT_EQ(1 * x, x);
  EXPECT_EQ(0 * x, graph.constant(0));
  EXPECT_EQ(pow(x, 1), x);
  EXPECT_EQ(pow(x, 0), graph.constant(1));
  EXPECT_EQ(-(-x), x);
  EXPECT_EQ(abs(pow(x, 4)), pow(x, 4));
  EXPECT_EQ(abs(pow(x, 3)).op(), Op::abs);
  for (const Op whole : {Op::sign, Op::floor, Op::ceil, Op::round})
    for (const Op op : {Op::floor, Op::ceil, Op::round})
      EXPECT_EQ(graph.apply(op, graph.apply(whole, x)), graph.apply(whole, x));
  EXPECT_EQ(graph.apply(Op::floor, graph.apply(Op::floor, x) / 2).op(), Op::floor);
}

TEST_F(ExprTest, WholeNumbersAndRests) {
  const auto one = [&](Op op, double value) { return at(graph.apply(op, x), value, 0); };
  const auto folded = [&](Op op, double value) {
    return static_cast<double>(graph.apply(op, graph.constant(value)).value());
  };
  // In the order: value, floor, ceil, round half away from zero, sign.
  const double table[][5] = {{2.5, 2, 3, 3, 1},
                             {-2.5, -3, -2, -3, -1},
                             {0.49999999999999994, 0, 1, 0, 1},
                             {-0.5, -1, 0, -1, -1},
                             {0, 0, 0, 0, 0},
                             {7, 7, 7, 7, 1},
                             {-7, -7, -7, -7, -1},
                             {2251799813685249.5, 2251799813685249, 2251799813685250, 2251799813685250, 1}};
  for (const auto& row : table)
    for (const auto& [k, op] : {std::pair{1, Op::floor}, {2, Op::ceil}, {3, Op::round}, {4, Op::sign}}) {
      EXPECT_EQ(one(op, row[0]), row[k]) << spelling(op) << "(" << row[0] << ")";
      EXPECT_EQ(folded(op, row[0]), row[k]) << spelling(op) << "(" << row[0] << ")";
    }
  // The rest has the sign of the divisor.
  const double rests[][3] = {{7, 3, 1}, {-7, 3, 2}, {7, -3, -2}, {-7, -3, -1}, {6, 3, 0}, {0.75, 0.5, 0.25}};
  for (const auto& [a, b, rest] : rests) {
    EXPECT_EQ(at(graph.apply(Op::mod, x, y), a, b), rest) << a << " mod " << b;
    EXPECT_EQ(graph.apply(Op::mod, graph.constant(a), graph.constant(b)), graph.constant(rest));
  }
  EXPECT_EQ(graph.apply(Op::mod, graph.constant(1), graph.constant(0)).op(), Op::mod);
  EXPECT_NEAR(one(Op::erf, 0.5) + one(Op::erfc, 0.5), 1, 1e-16);
  EXPECT_NEAR(one(Op::erf, 0.5), 0.5204998778130465, 1e-16);
}

// A rule that cancels a pole or a branch would give a value where the user's expression has none.
TEST_F(ExprTest, TheDomainIsNeverEnlarged) {
  EXPECT_EQ((x / x).op(), Op::div);
  EXPECT_TRUE(std::isnan(at(x / x, 0, 0)));
  EXPECT_TRUE(std::isnan(at(pow(sqrt(x), 2), -1, 0)));
  EXPECT_TRUE(std::isnan(at(pow(x, -1) * x, 0, 0)));
  EXPECT_EQ((graph.constant(1) / graph.constant(0)).op(), Op::div);
  EXPECT_EQ(log(graph.constant(-1)).op(), Op::log);
}

TEST_F(ExprTest, ConstantsAreFoldedInQuadPrecision) {
  const Expr third = graph.constant(1) / graph.constant(3);
  EXPECT_EQ(third * 3, graph.constant(1));
  EXPECT_EQ(static_cast<double>(sqrt(graph.constant(2)).value()), std::sqrt(2.0));
}

TEST_F(ExprTest, ArgumentsHaveSmallerIdsThanTheirUsers) {
  const Expr e = sin(x * y + pow(x - y, 3)) / (x + 2);
  for (const Expr& node : reachable(std::array{e}))
    for (int k = 0; k < node.arity(); ++k) EXPECT_LT(node.arg(k).id(), node.id());
}

TEST_F(ExprTest, SubstitutionSimplifiesAgain) {
  const Expr e = x * y + sin(x);
  EXPECT_EQ(substitute(e, {{x.id(), graph.constant(0)}}), graph.constant(0));
  EXPECT_EQ(substitute(e, {{x.id(), y}}), pow(y, 2) + sin(y));

  const Replacement replacement{{x.id(), y}};
  Substitution several(replacement);
  EXPECT_EQ(several(e), pow(y, 2) + sin(y));
  EXPECT_EQ(several(exp(e) + x), exp(pow(y, 2) + sin(y)) + y);
}

TEST_F(ExprTest, SumsAreEvaluatedTermByTerm) {
  const SymbolId i = graph.declare("i", SymbolKind::index), j = graph.declare("j", SymbolKind::index);
  const SymbolId z = graph.declare("z", SymbolKind::coordinate, 1);
  const Expr ei = graph.symbol_expr(i), ej = graph.symbol_expr(j);
  const Expr zi = graph.entry(z, std::array{ei}), zj = graph.entry(z, std::array{ej});
  const Expr three = graph.constant(3);
  const Expr pairs = graph.sum(i, graph.constant(1), three, graph.sum(j, ei + 1, three, zi * zj));
  // 1*2 + 1*3 + 2*3 with z[k] = k.
  EXPECT_EQ(evaluate<double>(pairs, [](SymbolId, auto index) { return static_cast<double>(index[0]); }), 11.0);
  EXPECT_EQ(to_string(pairs), "sum(i in 1..3, sum(j in i + 1..3, z[i]*z[j]))");
}

TEST_F(ExprTest, PrintsInTheLanguageOfModelFiles) {
  const Expr x2 = pow(x, 2), y2 = pow(y, 2);
  EXPECT_EQ(to_string((x2 + y2 - 1) / 2), "0.5*(x^2 + y^2 - 1)");
  EXPECT_EQ(to_string(-pow(x, 2)), "-x^2");
  EXPECT_EQ(to_string(pow(-x, 2)), "(-x)^2");
  EXPECT_EQ(to_string(x - 2 * y), "x - 2*y");
  EXPECT_EQ(to_string(x / (y * x)), "x/(x*y)");
  EXPECT_EQ(to_string(pow(pow(x, y), y)), "(x^y)^y");
  EXPECT_EQ(to_string(select(graph.apply(Op::lt, x, y), x, -y)), "if(x < y, x, -y)");
  EXPECT_EQ(to_string(graph.constant(0.5)), "0.5");
  EXPECT_EQ(to_string(graph.apply(Op::mod, graph.apply(Op::round, x), y + 1)), "mod(round(x), y + 1)");
}

TEST(Graphs, MayBeBuiltUponAFrozenOne) {
  const auto base = std::make_shared<Graph>();
  const Expr x = base->new_symbol("x", SymbolKind::local), square = x * x;
  base->freeze();
  EXPECT_EQ(x * x, square);
  EXPECT_DEATH(static_cast<void>(x + square), "is_frozen_");

  Graph one(base), other(base);
  const Expr y = one.new_symbol("y", SymbolKind::local), z = other.new_symbol("z", SymbolKind::local);
  EXPECT_EQ(one.own(x) * one.own(x), one.own(square));
  EXPECT_EQ(to_string(one.own(square) + y), "x^2 + y");
  EXPECT_EQ(to_string(other.own(square) + z), "x^2 + z");
  EXPECT_EQ(base->node_count(), one.node_count() - 2);

  Graph copy(one);
  EXPECT_EQ(copy.own(y) + copy.own(square), copy.own(one.own(square) + y));
}

}  // namespace
}  // namespace cotangent
