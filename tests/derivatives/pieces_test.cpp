#include "cotangent/derivatives/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

class PiecesOf : public testing::Test {
 protected:
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::coordinate), y = graph.new_symbol("y", SymbolKind::coordinate);
  Expr c = graph.new_symbol("c", SymbolKind::parameter);

  Pieces of(Expr f) { return pieces_of(f, std::array{x, y}); }

  static double at(Expr e, double x, double y, const Pieces& pieces = {}, const std::vector<double>& b = {}) {
    return evaluate<double>(e, [&](SymbolId symbol, auto) {
      for (std::size_t k = 0; k < b.size(); ++k)
        if (pieces.all[k].symbol.symbol_id() == symbol) return b[k];
      const std::string& name = e.graph().symbol(symbol).name;
      return name == "x" ? x : name == "y" ? y : 0.3;
    });
  }

  static std::vector<double> numbers(const Pieces& pieces, double x, double y) {
    std::vector<double> b;
    for (const Piece& piece : pieces.all) b.push_back(at(piece.number, x, y));
    return b;
  }
};

TEST_F(PiecesOf, EveryOperationAreTheOperationOnThePieceThatItIsOn) {
  for (const Op op : {Op::abs, Op::sign, Op::min, Op::max, Op::lt, Op::le}) {
    const Expr f = 3 * (arity(op) == 1 ? graph.apply(op, x) : graph.apply(op, x, y)) + x;
    const Pieces pieces = of(f);
    ASSERT_EQ(pieces.all.size(), 1u) << spelling(op);
    for (const double a : {-2.0, 0.0, 0.5, 1.0, 3.0})
      for (const double b : {-1.0, 0.0, 1.0})
        EXPECT_EQ(at(f, a, b), at(pieces.smooth, a, b, pieces, numbers(pieces, a, b))) << spelling(op) << a << b;
    // On the piece of another place it goes on smoothly: its value there is that of the other side.
    EXPECT_NE(at(f, 3, 1), at(pieces.smooth, 3, 1, pieces, numbers(pieces, -2, 1))) << spelling(op);
  }
}

TEST_F(PiecesOf, WhatIsInsideOfEachOtherAreAllThere) {
  const Expr f = abs(max(x, y) - 1) * select(graph.apply(Op::lt, abs(x), y), x, y);
  const Pieces pieces = of(f);
  EXPECT_EQ(pieces.all.size(), 4u);
  for (const double a : {-2.0, 0.5, 3.0})
    for (const double b : {-1.0, 0.1, 2.5})
      EXPECT_EQ(at(f, a, b), at(pieces.smooth, a, b, pieces, numbers(pieces, a, b)));
}

TEST_F(PiecesOf, FunctionsThatDoNotDependOnTheArgumentsAreNone) {
  EXPECT_TRUE(of(x * x + abs(c) + select(graph.apply(Op::lt, c, 2 * c), x, y)).all.empty());
  EXPECT_TRUE(of(sqrt(x * x + y * y)).all.empty());
}

// The jump of a value, or of a slope, at a border is the difference of two smooth functions there.
TEST_F(PiecesOf, AFunctionShowWhetherItJumps) {
  const auto jump = [&](Expr f, bool of_slope) {
    const Pieces pieces = of(f);
    const Expr shown = of_slope ? gradient(pieces.smooth, std::array{x})[0] : pieces.smooth;
    return at(shown, 0, 0, pieces, numbers(pieces, 1, 0)) - at(shown, 0, 0, pieces, numbers(pieces, -1, 0));
  };
  EXPECT_EQ(jump(graph.apply(Op::lt, graph.constant(0), x), false), 1);
  EXPECT_EQ(jump(abs(x), false), 0);
  EXPECT_EQ(jump(abs(x), true), 2);
  EXPECT_EQ(jump(pow(abs(x), 3), true), 0);
  EXPECT_EQ(jump(pow(max(x, graph.constant(0)), 2), true), 0);
}

TEST_F(PiecesOf, BlendedFunctionsAreOneFunctionOfAllPieces) {
  const auto number = [&] { return c; };
  const Expr bump = max(x - 10, graph.constant(0));
  EXPECT_NE(at(gradient(blended(of(bump), number), std::array{x})[0], 0, 0), 0) << "the wall is seen from far away";
  const Expr step = graph.apply(Op::lt, graph.constant(10), x);
  EXPECT_NE(at(gradient(blended(of(step), number), std::array{x})[0], 0, 0), 0) << "and so is its border";
  const Expr between = select(graph.apply(Op::lt, x - y, c), pow(x - y, 2), x - y);
  const auto by = gradient(blended(of(between), number), std::array{x, y});
  EXPECT_DOUBLE_EQ(at(by[0], 2, 0.7), -at(by[1], 2, 0.7)) << "a function of x - y stays one";
  EXPECT_EQ(blended(of(x * y), number), x * y);
}

}  // namespace
}  // namespace cotangent
