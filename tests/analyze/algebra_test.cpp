#include "cotangent/analyze/algebra/algebra.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cotangent/analyze/dirac/evaluation.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

class AlgebraTest : public testing::Test {
 protected:
  Graph graph;
  Algebra algebra{graph};
  Expr x = graph.new_symbol("x", SymbolKind::coordinate), y = graph.new_symbol("y", SymbolKind::coordinate);
  Expr p = graph.new_symbol("p_x", SymbolKind::momentum), m = graph.new_symbol("m", SymbolKind::parameter);

  double at(Expr e, double a, double b) const {
    const SymbolValues values{{x.id(), a}, {y.id(), b}, {p.id(), 0.7}, {m.id(), 1.3}};
    return static_cast<double>(Evaluation({e})(values)[0].value);
  }
};

TEST_F(AlgebraTest, NormalFormsOfZeroAreZero) {
  for (const Expr zero :
       {(x + y) * (x - y) - x * x + y * y, x / (x * y) - 1.0 / y, pow(sin(x), 2.0) + pow(cos(x), 2.0) - 1.0,
        sqrt(x + y) * sqrt(x + y) - x - y, exp(x + y) - exp(x) * exp(y), exp(-x) * exp(x) - 1.0,
        graph.apply(Op::tan, x) * cos(x) - sin(x), sin(-x) + sin(x), pow(x + y, 1.5) - (x + y) * sqrt(x + y),
        1.0 / (x + y) + 1.0 / (x - y) - 2.0 * x / (x * x - y * y)})
    EXPECT_TRUE(algebra.simplified(zero).is_constant(0)) << to_text(zero);
}

TEST_F(AlgebraTest, NormalFormsKeepValues) {
  for (const Expr e :
       {sin(x - y) / (1.0 + x * x), pow(x, -2.0) + y / 3.0, 0.1 * x + sqrt(x * y) / m, exp(2.0 * x - y / 2.0),
        abs(x - y) * cos(x), pow(x + p, 5.0) / (m * y), graph.apply(Op::atan2, x, y) * 2.0})
    EXPECT_NEAR(at(algebra.simplified(e), 0.4, 1.1), at(e, 0.4, 1.1), 1e-14 * std::abs(at(e, 0.4, 1.1))) << to_text(e);
}

// Constants are folded in Quad, with rounding errors.
TEST_F(AlgebraTest, NumbersThatWereComputedAreRational) {
  const Quad third = Quad{1} / 3, rounded = 1 - third;
  ASSERT_NE(rounded, Quad{2} / 3);
  const auto difference = [&](const Quad& number) {
    return algebra.simplified((graph.constant(number) * x + y) * (x + p) - (2.0 * x / 3.0 + y) * (x + p));
  };
  EXPECT_EQ(to_text(difference(rounded)), "0");
  EXPECT_NE(to_text(difference(Quad{2} / 3 + 1e-30Q)), "0");
}

TEST_F(AlgebraTest, WhatIsZeroIsDividedOut) {
  const std::array zero{x * x + y * y - m * m, x * p};
  EXPECT_TRUE(algebra.reduced(p * x * y, zero).is_constant(0));
  EXPECT_EQ(to_text(algebra.reduced(y * y / (x * x + y * y), zero)), "y^2/m^2");
  // It is zero only where the constraints are: a remainder is left.
  EXPECT_FALSE(algebra.reduced(x * y, zero).is_constant(0));
}

TEST_F(AlgebraTest, FactorsAreIrreducible) {
  const auto factors = algebra.factors(3.0 * pow(x, 2.0) * (x * x - y * y));
  ASSERT_EQ(factors.size(), 3u);
  int squares = 0;
  for (const Factor& factor : factors) squares += factor.exponent == 2 && factor.base == x;
  EXPECT_EQ(squares, 1);
  EXPECT_TRUE(algebra.factors(graph.constant(7)).empty());
  EXPECT_EQ(algebra.factors(x * x + y * y - 2.0 * sqrt(x * x + y * y) * p).size(), 2u);
}

TEST_F(AlgebraTest, WhatWouldCostTooMuchIsLeftAsItIs) {
  Expr sum = x + y + p + m;
  for (int k = 0; k < 6; ++k) sum = sum * sum + x;
  EXPECT_TRUE(algebra.simplified(sum) == sum);
}

TEST_F(AlgebraTest, Latex) {
  EXPECT_EQ(to_latex(pow(p, 2.0) / m), "\\frac{p_{x}^{2}}{m}");
  EXPECT_EQ(to_latex(graph.new_symbol("lambda_rod", SymbolKind::multiplier) * sqrt(x + y)),
            "\\sqrt{x + y} \\lambda_{\\mathrm{rod}}");
  EXPECT_EQ(to_latex(x - 2.0 * y / 3.0), "x - \\frac{2 y}{3}");
  EXPECT_EQ(to_latex(graph.constant(100)), "100");
  EXPECT_EQ(to_latex(graph.new_symbol("r[2,3]", SymbolKind::coordinate) * pow(x + y, 2.0)),
            "\\left(x + y\\right)^{2} r_{2,3}");
}

TEST_F(AlgebraTest, TextsDropParenthesesThatOnlyGroup) {
  const Expr e = x + (y + (p - m));
  EXPECT_EQ(to_text(e).find('('), std::string::npos);
  EXPECT_NEAR(at(e, 2, 3), 2 + 3 + 0.7 - 1.3, 1e-15);
}

}  // namespace
}  // namespace cotangent
