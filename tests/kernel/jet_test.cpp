#include <gtest/gtest.h>
#include <quadmath.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/first_crossing.hpp"
#include "cotangent/expr/arithmetic.hpp"
#include "cotangent/kernel/jet_kernel.hpp"
#include "tests/kernel/support.hpp"

// Power series of functions against interpolation: of f(x(t), y(t)), with x and y polynomials, at Chebyshev points.

namespace cotangent {
namespace {

using test::same_bits;

constexpr int kOrders = 12;

struct Case {
  std::string name;
  std::function<Expr(Graph&, Expr x, Expr y)> f;
  double x = 0.3, y = 0.7;
};

const std::vector<Case>& cases() {
  const auto of = [](Op op) { return [op](Graph& g, Expr x, Expr) { return g.apply(op, x); }; };
  static const std::vector<Case> all{
      {"sum", [](Graph&, Expr x, Expr y) { return 3 * x - y; }},
      {"product", [](Graph&, Expr x, Expr y) { return x * y; }},
      {"square", [](Graph&, Expr x, Expr y) { return x * x + y; }},
      {"fused", [](Graph&, Expr x, Expr y) { return x - x * y; }},
      {"difference_of_squares", [](Graph&, Expr x, Expr y) { return x * x - y * y; }},
      {"quotient", [](Graph&, Expr x, Expr y) { return (1 + x) / (2 + y); }},
      {"reciprocal", [](Graph&, Expr x, Expr) { return 1 / (2 + x); }},
      {"sqrt", of(Op::sqrt)},
      {"half_integer", [](Graph&, Expr x, Expr) { return pow(x, -1.5); }},
      {"cube_at_zero", [](Graph&, Expr x, Expr) { return pow(x, 3.0); }, 0},
      {"high_power_at_zero", [](Graph&, Expr x, Expr) { return pow(x, 67.0) + pow(x, 5.0); }, 0},
      {"negative_power", [](Graph&, Expr x, Expr) { return pow(x + 1, -5.0); }},
      {"real_power", [](Graph&, Expr x, Expr) { return pow(x, 1.3); }},
      {"power", [](Graph&, Expr x, Expr y) { return pow(x, y); }},
      {"exponential", [](Graph& g, Expr x, Expr) { return pow(g.constant(2), x); }},
      {"sin", of(Op::sin)},
      {"cos", of(Op::cos)},
      {"both", [](Graph&, Expr x, Expr y) { return sin(x) * cos(x) + sin(y); }},
      {"tan", of(Op::tan)},
      {"asin", of(Op::asin)},
      {"acos", of(Op::acos)},
      {"atan", of(Op::atan)},
      {"sinh", of(Op::sinh)},
      {"cosh", of(Op::cosh)},
      {"tanh", of(Op::tanh)},
      {"exp", of(Op::exp)},
      {"log", of(Op::log)},
      {"erf", of(Op::erf)},
      {"erfc", of(Op::erfc)},
      {"atan2", [](Graph& g, Expr x, Expr y) { return g.apply(Op::atan2, x, y); }},
      {"atan2_of_one", [](Graph& g, Expr x, Expr) { return g.apply(Op::atan2, g.constant(2), x); }},
      {"abs", [](Graph&, Expr x, Expr) { return abs(x - 2) * x; }},
      {"min", [](Graph& g, Expr x, Expr y) { return g.apply(Op::min, x, y) * x; }},
      {"max", [](Graph&, Expr x, Expr y) { return max(x, y) * x; }},
      {"select", [](Graph& g, Expr x, Expr y) { return select(g.apply(Op::lt, x, y), sin(x), y); }},
      {"sign", [](Graph& g, Expr x, Expr y) { return g.apply(Op::sign, x) * y; }},
      {"mod", [](Graph& g, Expr x, Expr) { return g.apply(Op::mod, x + 7, g.constant(2)); }},
      {"constant", [](Graph& g, Expr, Expr) { return g.constant(5); }},
      {"nested", [](Graph&, Expr x, Expr y) { return exp(sin(x * y)) / sqrt(1 + x * x); }}};
  return all;
}

// x and y as polynomials of t, from their constant coefficients.
template <class N>
std::vector<N> moving(N start, double rate) {
  std::vector<N> c(kOrders, N(0));
  c[0] = start;
  c[1] = N(rate);
  c[2] = N(-0.25);
  return c;
}

Quad value(const std::vector<Quad>& c, Quad t) {
  Quad sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
  return sum;
}

Quad value(Expr e, Expr x, Expr y, Quad at_x, Quad at_y) {
  if (e == x) return at_x;
  if (e == y) return at_y;
  if (e.is_constant()) return e.value();
  std::array<Quad, 3> args{};
  for (int k = 0; k < e.arity(); ++k) args[static_cast<std::size_t>(k)] = value(e.arg(k), x, y, at_x, at_y);
  return apply_scalar<Quad>(e.op(), args[0], args[1], args[2]);
}

// Coefficients of the interpolating polynomial, by divided differences.
std::vector<Quad> interpolated(const Case& each) {
  constexpr int kPoints = 40;
  const Quad radius = static_cast<Quad>(0.12);
  Graph graph;
  const Expr x = graph.new_symbol("x", SymbolKind::local), y = graph.new_symbol("y", SymbolKind::local);
  const Expr f = each.f(graph, x, y);
  const auto of_x = moving<Quad>(each.x, 1), of_y = moving<Quad>(each.y, -0.5);
  std::vector<Quad> t, difference;
  for (int i = 0; i < kPoints; ++i) {
    t.push_back(radius * cosq(M_PIq * (2 * i + 1) / (2 * kPoints)));
    difference.push_back(value(f, x, y, value(of_x, t.back()), value(of_y, t.back())));
  }
  for (std::size_t k = 1; k < t.size(); ++k)
    for (std::size_t i = t.size(); i-- > k;) difference[i] = (difference[i] - difference[i - 1]) / (t[i] - t[i - k]);
  std::vector<Quad> c(t.size(), 0);
  for (std::size_t i = t.size(); i-- > 0;) {
    for (std::size_t k = t.size() - 1; k > 0; --k) c[k] = c[k - 1] - t[i] * c[k];
    c[0] = difference[i] - t[i] * c[0];
  }
  return c;
}

template <class T>
struct Evaluated {
  explicit Evaluated(const Case& each, std::int64_t count, double spread = 0)
      : size(static_cast<std::size_t>(count)), x(size * kOrders), y(x), out(x) {
    const Expr u = graph.new_symbol("x", SymbolKind::local), v = graph.new_symbol("y", SymbolKind::local);
    KernelSpec spec;
    spec.count = count;
    spec.loads = {{u, 0, IndexMap::affine(0, 1)}, {v, 1, IndexMap::affine(0, 1)}};
    spec.stores = {{each.f(graph, u, v), 0, IndexMap::affine(0, 1)}};
    kernel.emplace(spec, kOrders);
    for (std::size_t i = 0; i < size; ++i) {
      const auto of_x = moving<LaneOf<T>>(LaneOf<T>(each.x + spread * static_cast<double>(i)), 1);
      const auto of_y = moving<LaneOf<T>>(LaneOf<T>(each.y), -0.5);
      for (std::size_t k = 0; k < kOrders; ++k) x[k * size + i] = T(of_x[k]), y[k * size + i] = T(of_y[k]);
    }
    frame.in = {{x.data(), size}, {y.data(), size}};
    frame.out = {{out.data(), size}};
  }
  // Each order with wrong newest coefficients first.
  void run(bool twice) {
    for (int k = 0; k < kOrders; ++k) {
      T& newest = x[static_cast<std::size_t>(k) * size];
      const T right = newest;
      if (twice && k > 0) {
        newest = T(17);
        (*kernel)(k, false, frame);
        std::fill_n(out.data() + static_cast<std::size_t>(k) * size, size, T(0));
        newest = right;
      }
      (*kernel)(k, twice && k > 0, frame);
    }
  }

  Graph graph;
  std::size_t size;
  std::vector<T> x, y, out;
  std::optional<JetKernel<T>> kernel;
  JetFrame<T> frame;
};

// What interpolation is good for is 1e-13.
TEST(Jets, HaveTheCoefficientsOfEveryFunction) {
  for (const Case& each : cases()) {
    const auto expected = interpolated(each);
    Evaluated<Quad> quad(each, 1);
    Evaluated<double> number(each, 1);
    quad.run(false);
    number.run(false);
    Quad scale = 0;
    for (std::size_t k = 0; k < kOrders; ++k) {
      scale = std::max({Quad(1), fabsq(expected[k]), scale});
      EXPECT_LE(static_cast<double>(fabsq(quad.out[k] - expected[k]) / scale), 1e-12) << each.name << ", order " << k;
      EXPECT_LE(static_cast<double>(fabsq(number.out[k] - quad.out[k]) / scale), 1e-13) << each.name << ", order " << k;
    }
  }
}

TEST(Jets, EvaluateTheNewestOrderAgain) {
  for (const Case& each : cases()) {
    Evaluated<double> once(each, 3, 0.01), twice(each, 3, 0.01);
    once.run(false);
    twice.run(true);
    for (std::size_t k = 0; k < once.out.size(); ++k)
      EXPECT_TRUE(same_bits(once.out[k], twice.out[k])) << each.name << ", " << k;
  }
}

TEST(Jets, GiveTheSameBitsInEveryBlockAndLane) {
  for (const Case& each : cases()) {
    Evaluated<double> one(each, 1), many(each, 150), few(each, 7);
    Evaluated<Lanes> lanes(each, 5);
    one.run(false), many.run(false), few.run(false), lanes.run(false);
    for (std::size_t k = 0; k < kOrders; ++k) {
      for (const std::size_t i : {0, 70, 149})
        EXPECT_TRUE(same_bits(one.out[k], many.out[k * 150 + i])) << each.name << ", order " << k;
      EXPECT_TRUE(same_bits(one.out[k], few.out[k * 7 + 6])) << each.name << ", order " << k;
      EXPECT_TRUE(same_bits(one.out[k], lanes.out[k * 5 + 4][kLanes - 1])) << each.name << ", order " << k;
    }
  }
}

// Derivatives by x_0 are those of a difference.
TEST(Jets, HaveTangents) {
  constexpr double kStep = 1e-6;
  for (const Case& each : cases()) {
    if (each.x == 0) continue;
    Case above = each, below = each;
    above.x += kStep;
    below.x -= kStep;
    Evaluated<Tangents> dual(each, 1);
    dual.x[0].d[0] = 1;
    Evaluated<double> plus(above, 1), minus(below, 1), here(each, 1);
    dual.run(false), plus.run(false), minus.run(false), here.run(false);
    double scale = 1;
    for (std::size_t k = 0; k < kOrders; ++k) {
      const double difference = (plus.out[k] - minus.out[k]) / (2 * kStep);
      scale = std::max(scale, std::abs(difference));
      EXPECT_NEAR(dual.out[k].value, here.out[k], 1e-13 * scale) << each.name;
      EXPECT_NEAR(dual.out[k].d[0], difference, 1e-5 * scale) << each.name << ", order " << k;
      EXPECT_EQ(dual.out[k].d[1], 0) << each.name;
    }
  }
}

TEST(Jets, FindWhereAPieceEnds) {
  // x = 0.3 + t - t^2/4 reaches 0.5 at t = 2 - sqrt(3.2), and never 2; y = 0.7 - t/2 - t^2/4 meets x before.
  const double to_half = 2 - std::sqrt(3.2), to_y = 0.4 / 1.5;
  const auto change = [](const Case& each, double h) {
    Evaluated<double> jet(each, 3);
    jet.run(false);
    return jet.kernel->first_change(kOrders, h);
  };
  const Case crossing{"abs", [](Graph&, Expr x, Expr) { return abs(x - 0.5); }};
  EXPECT_NEAR(change(crossing, 1), to_half, 1e-15);
  EXPECT_EQ(change(crossing, 0.2), 0.2);
  EXPECT_EQ(change({"abs", [](Graph&, Expr x, Expr) { return abs(x - 2); }}, 1), 1);
  EXPECT_NEAR(change({"max", [](Graph&, Expr x, Expr y) { return max(x, y); }}, 1), to_y, 1e-15);
  const auto floor_of = [](Graph& g, Expr x, Expr) { return g.apply(Op::floor, 10 * x + 0.25); };
  EXPECT_NEAR(change({"floor", floor_of}, 1), 2 - std::sqrt(4 - 0.3), 1e-15);
  EXPECT_NEAR(change({"floor", floor_of}, -1), 2 - std::sqrt(4 + 0.1), 1e-15);
  const auto lt = [](Graph& g, Expr x, Expr y) { return select(g.apply(Op::lt, x, y), x, y); };
  EXPECT_NEAR(change({"select", lt}, 1), to_y, 1e-15);
  Evaluated<Lanes> lanes(crossing, 2);
  lanes.run(false);
  EXPECT_NEAR(lanes.kernel->first_change(kOrders, Lanes(1))[5], to_half, 1e-15);
}

TEST(FirstCrossing, MissesNoRoot) {
  const auto found = [](std::vector<double> c, double h) { return first_crossing(std::span<const double>(c), h); };
  EXPECT_FALSE(found({1, 1}, 10));
  EXPECT_NEAR(*found({1, -1}, 10), 1, 1e-14);
  EXPECT_FALSE(found({1, -1}, 0.99));
  // Two roots next to each other: (t - 1)^2 - 1e-8.
  EXPECT_NEAR(*found({1 - 1e-8, -2, 1}, 3), 1 - 1e-4, 1e-11);
  EXPECT_FALSE(found({1 + 1e-8, -2, 1}, 3));
  // At a root already: what counts is where it goes.
  EXPECT_FALSE(found({0, 1}, 1));
  EXPECT_NEAR(*found({0, -1}, 1), 0, 1e-30);
  EXPECT_NEAR(*found({0, 1, -1}, 3), 1, 1e-14);
}

}  // namespace
}  // namespace cotangent
