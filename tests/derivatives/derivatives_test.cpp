#include "cotangent/derivatives/derivatives.hpp"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <string>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// Every operation of the language, at points where it is smooth; functions of two variables in both of them.
struct Case {
  std::string name;
  Expr (*make)(Expr x, Expr y);
};

Expr unary(Op op, Expr x) { return x.graph().apply(op, x); }
Expr binary(Op op, Expr x, Expr y) { return x.graph().apply(op, x, y); }

const Case kCases[] = {
    {"add", [](Expr x, Expr y) { return x + 2 * y; }},
    {"mul", [](Expr x, Expr y) { return x * y; }},
    {"div", [](Expr x, Expr y) { return x / y; }},
    {"integer_power", [](Expr x, Expr) { return pow(x, -3); }},
    {"power", [](Expr x, Expr y) { return pow(x, y); }},
    {"sin", [](Expr x, Expr) { return sin(x); }},
    {"cos", [](Expr x, Expr) { return cos(x); }},
    {"tan", [](Expr x, Expr) { return unary(Op::tan, x); }},
    {"asin", [](Expr x, Expr) { return unary(Op::asin, x); }},
    {"acos", [](Expr x, Expr) { return unary(Op::acos, x); }},
    {"atan", [](Expr x, Expr) { return unary(Op::atan, x); }},
    {"sinh", [](Expr x, Expr) { return unary(Op::sinh, x); }},
    {"cosh", [](Expr x, Expr) { return unary(Op::cosh, x); }},
    {"tanh", [](Expr x, Expr) { return unary(Op::tanh, x); }},
    {"exp", [](Expr x, Expr) { return exp(x); }},
    {"log", [](Expr x, Expr) { return log(x); }},
    {"erf", [](Expr x, Expr) { return unary(Op::erf, x); }},
    {"erfc", [](Expr x, Expr) { return unary(Op::erfc, x); }},
    {"sqrt", [](Expr x, Expr) { return sqrt(x); }},
    {"abs", [](Expr x, Expr y) { return abs(x - y); }},
    {"atan2", [](Expr x, Expr y) { return binary(Op::atan2, x, y); }},
    {"mod", [](Expr x, Expr y) { return binary(Op::mod, 5 * x, y * y); }},
    {"floor", [](Expr x, Expr y) { return unary(Op::floor, 5 * x) * sin(y); }},
    {"ceil", [](Expr x, Expr y) { return unary(Op::ceil, 5 * x) * sin(y); }},
    {"round", [](Expr x, Expr y) { return unary(Op::round, 5 * x) * sin(y); }},
    {"min", [](Expr x, Expr y) { return binary(Op::min, x * x, y); }},
    {"max", [](Expr x, Expr y) { return binary(Op::max, x * x, y); }},
    {"select", [](Expr x, Expr y) { return select(binary(Op::lt, x, y), x * y, exp(x)); }},
    {"shared", [](Expr x, Expr y) { return sin(x * y) * exp(sin(x * y)) / (1 + x * y); }},
};

class DerivativeOf : public testing::TestWithParam<Case> {
 protected:
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  const Quad x0 = 0.37, y0 = 0.81;

  Quad at(Expr e, Quad dx, Quad dy) {
    return evaluate<Quad>(e, [&](SymbolId id, auto) { return id == x.symbol_id() ? x0 + dx : y0 + dy; });
  }

  // Richardson-extrapolated central difference in quad precision: good to about 1e-25.
  Quad difference(Expr e, int direction) {
    const auto central = [&](Quad h) {
      return direction == 0 ? (at(e, h, 0) - at(e, -h, 0)) / (2 * h) : (at(e, 0, h) - at(e, 0, -h)) / (2 * h);
    };
    const Quad h = 1e-6;
    return (64 * central(h / 4) - 20 * central(h / 2) + central(h)) / 45;
  }
};

TEST_P(DerivativeOf, AgreesWithDifferencesToThirdOrder) {
  std::vector<Expr> functions{GetParam().make(x, y)};
  for (int order = 1; order <= 3; ++order) {
    std::vector<Expr> next;
    for (const Expr& f : functions) {
      const auto df = gradient(f, std::array{x, y});
      for (int s = 0; s < 2; ++s) {
        const Quad exact = difference(f, s), found = at(df[static_cast<std::size_t>(s)], 0, 0);
        EXPECT_LE(fabsq(found - exact), 1e-18 * (1 + fabsq(exact))) << "order " << order << " in " << s;
        next.push_back(df[static_cast<std::size_t>(s)]);
      }
    }
    functions = next;
  }
}

TEST_P(DerivativeOf, ForwardEqualsReverse) {
  const Expr f = GetParam().make(x, y), a = graph.new_symbol("a", SymbolKind::local);
  const auto df = gradient(f, std::array{x, y});
  const Expr along = derivative(f, {{x.id(), a}, {y.id(), graph.constant(2)}});
  const Quad expected = at(df[0], 0, 0) * y0 + at(df[1], 0, 0) * 2;  // a is read as y0
  EXPECT_LE(fabsq(at(along, 0, 0) - expected), 1e-30 * (1 + fabsq(expected)));
}

INSTANTIATE_TEST_SUITE_P(Every, DerivativeOf, testing::ValuesIn(kCases),
                         [](const auto& instance) { return instance.param.name; });

TEST(Derivative, TheBranchThatIsNotTakenDoesNotSpoilTheOther) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local);
  const Expr f = select(graph.apply(Op::lt, graph.constant(0), x), sqrt(x), graph.constant(0));
  const Expr df = gradient(f, std::array{x})[0];
  EXPECT_EQ(evaluate<double>(df, [](SymbolId, auto) { return 0.0; }), 0.0);
}

TEST(Derivative, OfAChoiceIsFiniteWhereTheOtherSideIsNot) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), zero = graph.constant(0);
  const Expr positive = graph.apply(Op::lt, zero, x);
  const Expr cases[] = {select(positive, sqrt(x) * exp(sqrt(x)), zero),
                        2 * graph.apply(Op::max, sqrt(x), graph.constant(1)),
                        sin(graph.apply(Op::min, 1 / x, graph.constant(-1)))};
  for (const Expr& f : cases) {
    const Expr reverse = gradient(f, std::array{x})[0], forward = derivative(f, {{x.id(), graph.constant(1)}});
    EXPECT_TRUE(std::isfinite(evaluate<double>(reverse, [](SymbolId, auto) { return 0.0; }))) << to_string(f);
    EXPECT_TRUE(std::isfinite(evaluate<double>(forward, [](SymbolId, auto) { return 0.0; }))) << to_string(f);
  }
}

TEST(Derivative, OfChoicesInsideChoicesSharesTheirBranches) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local);
  Expr f = x;
  for (int k = 0; k < 60; ++k) f = graph.apply(Op::max, f + x, 2 * f);  // 2^60 ways down to x
  const Expr df = gradient(f, std::array{x})[0];
  EXPECT_EQ(evaluate<double>(df, [](SymbolId, auto) { return 1.0; }), 0x1p60);
}

// As abs, which is the case of one square: the derivative at zero is zero. Second derivatives are finite there.
TEST(DerivativeOfANorm, IsZeroAtTheZeroVector) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  for (const Expr norm : {sqrt(x * x + y * y), sqrt(pow(x, 2)), sqrt(2 * x * x + pow(y, 4)), sqrt(pow(x - y, 2))}) {
    const auto at_zero = [](Expr e) { return evaluate<double>(e, [](SymbolId, auto) { return 0.0; }); };
    for (const Expr slope : gradient(norm, std::array{x, y})) {
      EXPECT_EQ(at_zero(slope), 0) << to_string(norm);
      for (const Expr second : gradient(slope, std::array{x, y})) EXPECT_TRUE(std::isfinite(at_zero(second)));
    }
  }
}

TEST(DerivativeOfANorm, IsExactElsewhere) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  const double a = 0.3e-200, b = 0.7;
  const auto leaf = [&](SymbolId symbol, auto) { return symbol == x.symbol_id() ? a : b; };
  const auto slopes = gradient(sqrt(x * x + y * y), std::array{x, y});
  const double norm = std::sqrt(a * a + b * b);
  EXPECT_EQ(evaluate<double>(slopes[0], leaf), 0.5 / norm * 2 * a);
  EXPECT_EQ(evaluate<double>(slopes[1], leaf), 0.5 / norm * 2 * b);
}

// x^2 - y^2 is zero in other places than zero, with a slope: its root has none.
TEST(DerivativeOfARoot, StaysInfiniteWhereItIs) {
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  for (const Expr root : {sqrt(x), sqrt(x * x - y * y), sqrt(x * x * x)})
    EXPECT_FALSE(std::isfinite(evaluate<double>(gradient(root, std::array{x})[0], [&](SymbolId symbol, auto) {
      return root == sqrt(x * x - y * y) || symbol == y.symbol_id() ? 1.0 : 0.0;
    }))) << to_string(root);
}

}  // namespace
}  // namespace cotangent
