#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/for_packs.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent {
namespace {

static_assert(sizeof(Lanes) == kLanes * sizeof(double));
static_assert(alignof(Lanes) == kVectorBytes);
static_assert(std::is_standard_layout_v<Lanes> && std::is_trivially_copyable_v<Lanes>);
static_assert(lane_count<Lanes> == kLanes && lane_count<double> == 1 && lane_count<Quad> == 1);
static_assert(std::is_same_v<Mask<double>, bool> && std::is_same_v<Mask<Lanes>, PackMask<kLanes>>);
static_assert(epsilon<Lanes>() == std::numeric_limits<double>::epsilon());
static_assert(1 + epsilon<Quad>() > 1 && 1 + epsilon<Quad>() / 2 == 1);

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// Which NaN an operation returns is not fixed by the order of its operands in C++.
bool same(double a, double b) { return same_bits(a, b) || (a != a && b != b); }

const std::vector<double>& special_values() {
  using Limits = std::numeric_limits<double>;
  static const std::vector<double> values = {0.0,
                                             -0.0,
                                             1.0,
                                             -1.0,
                                             0.1,
                                             1 + Limits::epsilon(),
                                             Limits::max(),
                                             -Limits::max(),
                                             Limits::min(),
                                             Limits::denorm_min(),
                                             Limits::infinity(),
                                             -Limits::infinity(),
                                             Limits::quiet_NaN()};
  return values;
}

// Every triple of special values, then random ones over many orders of magnitude.
template <int W, class Check>
void for_each_triple(Check check) {
  std::vector<double> a, b, c;
  for (const double x : special_values()) {
    for (const double y : special_values()) {
      for (const double z : special_values()) a.push_back(x), b.push_back(y), c.push_back(z);
    }
  }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-40, 40);
  const auto draw = [&] { return std::ldexp(mantissa(random), exponent(random)); };
  while (a.size() < 8000 || a.size() % W != 0) a.push_back(draw()), b.push_back(draw()), c.push_back(draw());
  for (std::size_t i = 0; i < a.size(); i += W) {
    check(Pack<W>::load(&a[i]), Pack<W>::load(&b[i]), Pack<W>::load(&c[i]));
  }
}

template <class Width>
class PackOfWidth : public testing::Test {};

template <int W>
using Width = std::integral_constant<int, W>;
using Widths = testing::Types<Width<4>, Width<8>, Width<16>, Width<kLanes>>;
TYPED_TEST_SUITE(PackOfWidth, Widths);

TYPED_TEST(PackOfWidth, IsExactlyItsDoubles) {
  constexpr int W = TypeParam::value;
  EXPECT_EQ(sizeof(Pack<W>), W * sizeof(double));
  EXPECT_EQ(alignof(Pack<W>), std::min(W * sizeof(double), kVectorBytes));
  Pack<W> x = 0.0;
  for (int i = 0; i < W; ++i) x[i] = i;
  const auto* doubles = reinterpret_cast<const double*>(&x);
  for (int i = 0; i < W; ++i) {
    EXPECT_EQ(doubles[i], i);
    EXPECT_EQ(lane(x, i), i);
  }
}

TYPED_TEST(PackOfWidth, EveryLaneEqualsTheScalarOperation) {
  constexpr int W = TypeParam::value;
  // Written once for both types: f(T, T, T) -> T.
  const auto operations = std::tuple{
      [](auto a, auto b, auto) { return a + b; },
      [](auto a, auto b, auto) { return a - b; },
      [](auto a, auto b, auto) { return a * b; },
      [](auto a, auto b, auto) { return a / b; },
      [](auto a, auto, auto) { return -a; },
      [](auto a, auto, auto) { return 2.0 * a + 1.0; },
      [](auto a, auto, auto) { return 1.0 - a / 3.0; },
      [](auto a, auto b, auto c) { return ((a += b) *= c) -= b; },
      [](auto a, auto b, auto) { return a /= b; },
      [](auto a, auto b, auto c) { return fma(a, b, c); },
      [](auto a, auto b, auto c) { return fma(-a, b, c); },
      [](auto a, auto b, auto c) { return fma(a, b, -c); },
      [](auto a, auto, auto) { return sqrt(a); },
      [](auto a, auto, auto) { return abs(a); },
      [](auto a, auto b, auto) { return min(a, b); },
      [](auto a, auto b, auto) { return max(a, b); },
      [](auto a, auto b, auto c) { return select(a < b, a, c); },
  };
  for_each_triple<W>([&](const Pack<W>& a, const Pack<W>& b, const Pack<W>& c) {
    const auto check = [&](auto f) {
      const Pack<W> r = f(a, b, c);
      for (int i = 0; i < W; ++i) {
        ASSERT_TRUE(same(r[i], f(a[i], b[i], c[i]))) << a[i] << ' ' << b[i] << ' ' << c[i] << " -> " << r[i];
      }
    };
    std::apply([&](auto... f) { (check(f), ...); }, operations);
  });
}

TYPED_TEST(PackOfWidth, EveryLaneEqualsTheScalarComparison) {
  constexpr int W = TypeParam::value;
  const auto predicates = std::tuple{
      [](auto a, auto b, auto) { return a < b; },
      [](auto a, auto b, auto) { return a <= b; },
      [](auto a, auto b, auto) { return a > b; },
      [](auto a, auto b, auto) { return a >= b; },
      [](auto a, auto b, auto) { return a == b; },
      [](auto a, auto b, auto) { return a != b; },
      [](auto a, auto b, auto c) { return (a < b) & (b < c); },
      [](auto a, auto b, auto c) { return (a < b) | (b < c); },
      [](auto a, auto b, auto) { return !(a < b); },
      [](auto a, auto, auto) { return isfinite(a); },
      [](auto a, auto, auto) { return a < 0.0; },
  };
  for_each_triple<W>([&](const Pack<W>& a, const Pack<W>& b, const Pack<W>& c) {
    const auto check = [&](auto f) {
      const PackMask<W> r = f(a, b, c);
      bool expect_any = false, expect_all = true;
      for (int i = 0; i < W; ++i) {
        const bool expected = f(a[i], b[i], c[i]);
        ASSERT_EQ(lane(r, i), expected) << a[i] << ' ' << b[i] << ' ' << c[i];
        expect_any |= expected, expect_all &= expected;
      }
      ASSERT_EQ(any(r), expect_any);
      ASSERT_EQ(all(r), expect_all);
    };
    std::apply([&](auto... f) { (check(f), ...); }, predicates);
  });
}

TYPED_TEST(PackOfWidth, BroadcastKeepsTheSignOfZero) {
  constexpr int W = TypeParam::value;
  for (const double x : special_values()) {
    const Pack<W> p = x;
    for (int i = 0; i < W; ++i) EXPECT_TRUE(same(p[i], x)) << x;
  }
}

TYPED_TEST(PackOfWidth, ExtremesOverLanesSeeEveryLane) {
  constexpr int W = TypeParam::value;
  for (int i = 0; i < W; ++i) {
    Pack<W> x = 1.0;
    x[i] = 2.0;
    EXPECT_EQ(max_over_lanes(x), 2.0);
    x[i] = -2.0;
    EXPECT_EQ(min_over_lanes(x), -2.0);
  }
}

TYPED_TEST(PackOfWidth, MaskLanesAreSetOneByOne) {
  constexpr int W = TypeParam::value;
  for (int i = 0; i < W; ++i) {
    PackMask<W> m = false;
    EXPECT_FALSE(any(m));
    m.set(i, true);
    EXPECT_TRUE(any(m));
    EXPECT_FALSE(all(m));
    for (int j = 0; j < W; ++j) EXPECT_EQ(m[j], i == j);
    EXPECT_TRUE(all(m | !m));
    m.set(i, false);
    EXPECT_FALSE(any(m));
  }
  EXPECT_TRUE(all(PackMask<W>(true)));
}

// r_k = a_k b_k +- c_k with a sign that alternates: what a vectoriser would like to fuse.
[[gnu::noipa]] void alternating(double* __restrict r, const double* __restrict a, const double* __restrict b,
                                const double* __restrict c) {
  for (int k = 0; k < kLanes; k += 2) {
    r[k] = a[k] * b[k] + c[k];
    r[k + 1] = a[k + 1] * b[k + 1] - c[k + 1];
  }
}

TEST(Scalar, NoProductIsFusedThatIsNotWrittenAsFma) {
  const double x = 1 + std::numeric_limits<double>::epsilon();
  std::vector<double> a(kLanes, x), c(kLanes, x * x), r(kLanes);
  for (std::size_t k = 0; k < kLanes; k += 2) c[k] = -c[k];
  alternating(r.data(), a.data(), a.data(), c.data());
  EXPECT_EQ(r, std::vector<double>(kLanes));
}

// Whatever the length is: several registers, single ones, numbers.
TEST(ForPacks, EveryNumberIsTakenOnce) {
  for (std::size_t count = 0; count <= 3 * kSeveral; ++count) {
    std::vector<double> x(count, 0.0);
    for_packs<double>(count, [&]<class V>(V /*zero*/, std::size_t k) { store(load<V>(x.data() + k) + V(1), &x[k]); });
    EXPECT_EQ(x, std::vector<double>(count, 1.0));
  }
}

TEST(ForPacks, TheLargestIsFoundInEveryPlace) {
  for (std::size_t count = 0; count <= 3 * kSeveral; ++count) {
    std::vector<double> x(count, 1.0);
    const auto largest = [&] {
      return largest_of_packs(count, 0.5, [&]<class V>(V /*zero*/, std::size_t k) { return load<V>(x.data() + k); });
    };
    EXPECT_EQ(largest(), count == 0 ? 0.5 : 1.0);
    for (double& each : x) {
      each = -2;
      EXPECT_EQ(largest(), 2);
      each = 1;
    }
  }
}

TEST(ForPacks, TheLargestOfDualNumbersLooksAtTheirDerivatives) {
  std::vector<Tangents> x(3, Tangents(1));
  const auto largest = [&] {
    return largest_of_packs(x.size(), Tangents(0), [&](Tangents /*zero*/, std::size_t k) { return x[k]; });
  };
  EXPECT_EQ(largest(), Tangents(1));
  for (Tangents& each : x)
    for (int k = 0; k < Tangents::kTangents; ++k) {
      each.d[k] = -3;
      EXPECT_EQ(largest(), Tangents(3));
      each.d[k] = 0;
    }
}

TEST(Scalar, QuadFunctionsKeepAllDigits) {
  const Quad third = Quad(1) / 3;
  EXPECT_TRUE(abs(sqrt(third) * sqrt(third) - third) < epsilon<Quad>());
  // x^2 - fl(x^2) is the rounding error of the square: only a fused operation sees it.
  EXPECT_TRUE(fma(third, third, -(third * third)) != 0);
  EXPECT_TRUE(abs(-third) == third && max(third, Quad(1)) == 1 && min(third, Quad(1)) == third);
  EXPECT_TRUE(isfinite(third) && !isfinite(infinity<Quad>()));
  EXPECT_TRUE(select(third < 1, third, Quad(0)) == third && any(third < 1) && max_over_lanes(third) == third);
}

}  // namespace
}  // namespace cotangent
