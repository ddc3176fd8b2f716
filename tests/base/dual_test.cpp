#include "cotangent/base/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace cotangent {
namespace {

static_assert(sizeof(Tangents) == 4 * sizeof(double));

// The same numbers in extended precision, by the rules of calculus.
struct Wide {
  Quad value;
  Quad d[2];

  template <class F>
  static Wide map(Quad value, const F& tangent) {
    return {value, {tangent(0), tangent(1)}};
  }
};
Wide operator-(const Wide& a) {
  return Wide::map(-a.value, [&](int k) { return -a.d[k]; });
}
Wide operator+(const Wide& a, const Wide& b) {
  return Wide::map(a.value + b.value, [&](int k) { return a.d[k] + b.d[k]; });
}
Wide operator-(const Wide& a, const Wide& b) { return a + -b; }
Wide operator*(const Wide& a, const Wide& b) {
  return Wide::map(a.value * b.value, [&](int k) { return a.d[k] * b.value + a.value * b.d[k]; });
}
Wide operator/(const Wide& a, const Wide& b) {
  return Wide::map(a.value / b.value,
                   [&](int k) { return (a.d[k] * b.value - a.value * b.d[k]) / (b.value * b.value); });
}
Wide sqrt(const Wide& a) {
  const Quad root = sqrtq(a.value);
  return Wide::map(root, [&](int k) { return a.d[k] / (2 * root); });
}

Tangents number(double value, double first, double second) {
  return Tangents::map(value, [&](int k) { return k == 0 ? first : second; });
}

Wide widened(const Tangents& x) {
  return Wide::map(x.value, [&](int k) { return static_cast<Quad>(x.d[k]); });
}

const Tangents a = number(1.25, 0.75, -3), b = number(-0.3, 2, 0.125), c = number(7, -1e-3, 4e5);

void expect_near(const Tangents& x, const Wide& exact, double ulps) {
  const double near = ulps * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(x.value, static_cast<double>(exact.value), near * std::abs(x.value));
  for (const int k : {0, 1})
    EXPECT_NEAR(x.d[k], static_cast<double>(exact.d[k]), near * (std::abs(x.d[k]) + std::abs(x.value)));
}

// In registers and without, by formulas that are written apart.
TEST(Dual, PackedNumbersObeyTheSameRules) {
  const Wide A = widened(a), B = widened(b), C = widened(c);
  expect_near(-a, -A, 0);
  expect_near(a + b, A + B, 1);
  expect_near(a - b, A - B, 1);
  expect_near(a * b, A * B, 2);
  expect_near(a / b, A / B, 4);
  expect_near(fma(a, b, c), A * B + C, 2);
  expect_near(sqrt(c), sqrt(C), 2);
  expect_near(abs(b), -B, 0);
  // 1, and its derivatives: a quotient of a number by itself does not move.
  const Tangents one = a / a;
  EXPECT_EQ(one.value, 1);
  EXPECT_NEAR(one.d[0], 0, 1e-15);
  EXPECT_NEAR(one.d[1], 0, 1e-15);
}

// Values are those of numbers, to the bit and with their special ones: derivatives do not leak into them.
TEST(Dual, ValuesAreThoseOfNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {0.1, -0.0, 3e300, -infinity})
    for (const double y : {0.7, 0.0, -2e200, infinity}) {
      const Tangents u = number(x, infinity, -1), v = number(y, 1e308, infinity);
      const auto same = [&](double computed, double expected) {
        EXPECT_TRUE(computed == expected || (std::isnan(computed) && std::isnan(expected))) << x << ", " << y;
        EXPECT_EQ(std::signbit(computed), std::signbit(expected)) << x << ", " << y;
      };
      same((u + v).value, x + y);
      same((u - v).value, x - y);
      same((u * v).value, x * y);
      same((u / v).value, x / y);
      same(fma(u, v, number(0.5, infinity, 0)).value, std::fma(x, y, 0.5));
    }
}

}  // namespace
}  // namespace cotangent
