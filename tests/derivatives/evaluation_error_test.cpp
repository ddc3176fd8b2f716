#include "cotangent/derivatives/evaluation_error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

constexpr double kUnit = 0x1p-52;

class EvaluationError : public testing::Test {
 protected:
  Graph graph;
  Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  Expr c = graph.new_symbol("c", SymbolKind::local);  // a column: it does not vary
  double x0 = 0, y0 = 0, c0 = 1000;

  Expr error(Expr f, bool is_part = false) const {
    return evaluation_error(f, is_part, [&](Expr symbol) -> ArgumentError { return {!(symbol == c)}; });
  }
  template <class T>
  T at(Expr e) const {
    return evaluate<T>(e, [&](SymbolId id, auto) {
      return T(id == x.symbol_id() ? x0 : id == y.symbol_id() ? y0 : c0);
    });
  }
  // What rounding errors of the arguments do.
  double of_arguments(Expr f) const {
    const auto df = gradient(f, std::array{x, y});
    return std::abs(at<double>(df[0]) * x0) + std::abs(at<double>(df[1]) * y0) + std::abs(at<double>(f));
  }
  double actual(Expr f) const { return std::abs(static_cast<double>(at<Quad>(f) - at<double>(f))) / kUnit; }
};

TEST_F(EvaluationError, IsNothingBesideThatOfTheArguments) {
  for (const Expr& f : {x * x + y * y - 1, pow(x - y, 3) * x / y - 5, 2 * (x * x - 0.3) + c * y + c,
                        sqrt(x * x + y * y), c * (x + 1) / 7 - y, graph.constant(2) + sin(c)})
    EXPECT_TRUE(error(f).is_constant(0)) << to_string(f);
}

TEST_F(EvaluationError, BeginsAtConstantsInsideAndAtFunctions) {
  x0 = 0.1, y0 = 5e-6;
  EXPECT_DOUBLE_EQ(at<double>(error(x * x + pow(y - 1000, 2) - 1e6)), 2 * (1000 - y0) * 1000);
  EXPECT_DOUBLE_EQ(at<double>(error(x * x + pow(y - c, 2) - c * c)), 2 * (1000 - y0) * 1000);
  EXPECT_DOUBLE_EQ(at<double>(error(1 - cos(x))), std::cos(x0));
  EXPECT_DOUBLE_EQ(at<double>(error(3 * (1 - cos(x)))), 3 * std::cos(x0));
  EXPECT_DOUBLE_EQ(at<double>(error(pow(1 - exp(-x), 2))), 2 * (1 - std::exp(-x0)) * (1 + std::exp(-x0)));
  EXPECT_DOUBLE_EQ(at<double>(error(2 * graph.apply(Op::erf, x))), 2 * std::erf(x0));
  EXPECT_DOUBLE_EQ(at<double>(error(graph.apply(Op::mod, x + 7, y), true)), 7);
  EXPECT_TRUE(error(graph.apply(Op::floor, x + 7)).is_constant(0)) << "whole numbers are not rounded";
  EXPECT_DOUBLE_EQ(at<double>(error(x + 7, true)), 7) << "a term of an inner sum";
  EXPECT_DOUBLE_EQ(at<double>(error(select(graph.apply(Op::lt, x, y), exp(x), x * cos(y)))), x0 * std::cos(y0));
}

// What is rounded is of that size: nowhere more, and somewhere not much less, where the arguments alone explain
// nothing.
TEST_F(EvaluationError, IsThatOfTheNumbers) {
  const Expr cases[] = {
      x * x + pow(y - 1000, 2) - 1e6, 1 - cos(x) + y * y / 2, pow(1 - exp(-x), 2) + y * y,
      sqrt(1e6 - x * x) - 1000 + y,   log(1 + x * y),         graph.apply(Op::atan2, 1 + x, 2 + y) - std::atan2(1, 2)};
  for (const Expr& f : cases) {
    double most = 0, without = 0;
    for (int k = 0; k < 400; ++k) {
      x0 = 1e-3 * std::cos(k) * (1 + k / 100), y0 = 1e-5 * std::sin(7 * k + 1);
      const double permitted = of_arguments(f) + at<double>(error(f));
      EXPECT_LE(actual(f), 2 * permitted) << to_string(f) << " at " << x0 << ", " << y0;
      most = std::max(most, actual(f) / permitted);
      without = std::max(without, actual(f) / of_arguments(f));
    }
    EXPECT_GE(most, 0.05) << to_string(f);
    EXPECT_GE(without, 5) << to_string(f);
  }
}

}  // namespace
}  // namespace cotangent
