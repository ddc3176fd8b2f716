#include "cotangent/base/traced.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cotangent {
namespace {

using Op = Recording::Op;

TEST(Traced, HasTheBitsOfDouble) {
  Recording recording(100);
  const double x = 0.1, y = -3.7;
  const Traced a = recording.input(x), b = recording.input(y);
  EXPECT_EQ((a + b).value, x + y);
  EXPECT_EQ((a - b).value, x - y);
  EXPECT_EQ((a * b).value, x * y);
  EXPECT_EQ((a / b).value, x / y);
  EXPECT_EQ((-a).value, -x);
  EXPECT_EQ(fma(a, b, a).value, std::fma(x, y, x));
  EXPECT_EQ(sqrt(a).value, std::sqrt(x));
  EXPECT_EQ(abs(b).value, 3.7);
  EXPECT_EQ(floor(b).value, -4);
  EXPECT_EQ(max(a, b).value, x);
  EXPECT_EQ(min(a, b).value, y);
  EXPECT_EQ(select(a < b, a, b).value, y);
  EXPECT_TRUE(recording.choices().empty());
  EXPECT_FALSE(recording.has_failed());
}

TEST(Traced, ComputesConstantsWithoutRecording) {
  Recording recording(100);
  const Traced two = Traced(1) + Traced(1), half = Traced(1) / two;
  EXPECT_EQ(half.id, 0U);
  EXPECT_EQ(half.value, 0.5);
  EXPECT_TRUE(half < two);
  EXPECT_TRUE(recording.operations().empty());
  EXPECT_TRUE(recording.choices().empty());
}

TEST(Traced, RecordsTheSameOperationOnce) {
  Recording recording(100);
  const Traced a = recording.input(2), b = recording.input(3);
  EXPECT_EQ((a * b).id, (b * a).id);
  EXPECT_NE((a - b).id, (b - a).id);
  EXPECT_EQ((a * Traced(1)).id, a.id);
  EXPECT_NE((a + Traced(0)).id, a.id);  // -0 + 0 is another number
}

// A choice is a comparison of two numbers that came out true, and is asked once.
TEST(Traced, RecordsChoices) {
  Recording recording(100);
  const Traced a = recording.input(2), b = recording.input(3), c = recording.input(5);
  const auto last_is = [&](Op op, const Traced& x, const Traced& y) {
    const auto& last = recording.choices().back();
    return last.op == op && last.a == x.id && last.b == y.id;
  };
  EXPECT_TRUE(static_cast<bool>(a < b));
  EXPECT_TRUE(last_is(Op::lt, a, b));
  if (!(a < b)) ADD_FAILURE();
  EXPECT_EQ(recording.choices().size(), 1U);
  if (c <= b) ADD_FAILURE();
  EXPECT_TRUE(last_is(Op::lt, b, c));  // what is known where neither is NaN
  if (a == b) ADD_FAILURE();
  EXPECT_TRUE(last_is(Op::ne, a, b));
  EXPECT_EQ(recording.choices().size(), 3U);

  // The side that decides.
  EXPECT_TRUE(any((a > c) | (b < c)));
  EXPECT_TRUE(last_is(Op::lt, b, c));
  const std::size_t before = recording.choices().size();
  if (all((a * b < b * c) & (b * c < a))) ADD_FAILURE();
  EXPECT_EQ(recording.choices().size(), before + 1);
  EXPECT_EQ(select(a < b, a, c).id, a.id);  // what is known already selects nothing
}

TEST(Traced, FailsWhereANumberBecomesSomethingElse) {
  Recording recording(100);
  const Traced a = recording.input(2.5);
  EXPECT_EQ(static_cast<int>(Traced(7)), 7);
  EXPECT_FALSE(recording.has_failed());
  EXPECT_EQ(static_cast<int>(a), 2);
  EXPECT_TRUE(recording.has_failed());
}

TEST(Traced, FailsWhereItIsTooLong) {
  Recording recording(10);
  Traced a = recording.input(1);
  for (int k = 0; k < 5; ++k) a *= a;
  EXPECT_FALSE(recording.has_failed());
  for (int k = 0; k < 10; ++k) a *= a + Traced(k);
  EXPECT_TRUE(recording.has_failed());
  EXPECT_NE((a + a).id, 0U);  // and yet is no constant
}

TEST(Traced, NumbersThatAreNotFiniteAreSeen) {
  Recording recording(100);
  const Traced a = recording.input(1), zero = recording.input(0);
  EXPECT_TRUE(isfinite(a));
  EXPECT_FALSE(isfinite(a / zero));
  EXPECT_FALSE(isfinite(zero / zero));
}

}  // namespace
}  // namespace cotangent
