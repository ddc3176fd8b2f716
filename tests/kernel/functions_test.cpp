#include "cotangent/kernel/functions.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/kernel/support.hpp"

namespace cotangent {
namespace {

using test::same_bits;

class ElementaryFunction : public testing::TestWithParam<Function> {};

// Special values, and random ones of every size at which the function is neither 0 nor infinite.
std::vector<double> arguments(unsigned seed) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> x = {0.0,    -0.0,    1.0,    -1.0,   0.5,   -0.5,    2.0,     inf,    -inf,  std::nan(""),
                           5e-324, -5e-324, 1e-308, 1e-300, 1e300, -1e300,  1.7e308, 709.78, 745.2, -745.2,
                           M_PI,   -M_PI,   M_PI_2, M_PI_4, 15.0,  39000.0, 1e14,    1e22,   -1e22, 3.0};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> near(-10, 10), unit(-1, 1), exponent(-30, 30);
  for (int n = 0; n < 20000; ++n) {
    x.push_back(near(random));
    x.push_back(unit(random));
    x.push_back(std::ldexp(unit(random), static_cast<int>(exponent(random))));
  }
  while (x.size() % kLanes != 0) x.push_back(1.0);
  return x;
}

TEST_P(ElementaryFunction, HasTheSameBitsInEveryLaneAsInScalarCode) {
  const Function f = GetParam();
  const auto x = arguments(1);
  auto y = arguments(2);
  std::shuffle(y.begin(), y.end(), std::mt19937(3));
  for (std::size_t n = 0; n < x.size(); n += kLanes) {
    const Lanes lanes = apply(f, Lanes::load(&x[n]), Lanes::load(&y[n]));
    for (int l = 0; l < kLanes; ++l) {
      const double a = x[n + static_cast<std::size_t>(l)], b = y[n + static_cast<std::size_t>(l)];
      ASSERT_TRUE(same_bits(lanes[l], apply(f, a, b)))
          << name(f) << "(" << a << ", " << b << ") = " << lanes[l] << " in lane " << l << ", " << apply(f, a, b);
    }
  }
}

// SLEEF promises 1 ulp. Results below the normal range are left out: there an ulp is not a relative error.
TEST_P(ElementaryFunction, IsAccurateToTwoUlp) {
  const Function f = GetParam();
  const auto x = arguments(1);
  auto y = arguments(2);
  std::shuffle(y.begin(), y.end(), std::mt19937(3));
  double worst = 0, worst_x = 0, worst_y = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double value = apply(f, x[n], y[n]);
    const Quad exact = apply<Quad>(f, x[n], y[n]);
    const double rounded = static_cast<double>(exact);
    if (std::isnan(rounded)) {
      EXPECT_TRUE(std::isnan(value)) << name(f) << "(" << x[n] << ", " << y[n] << ") = " << value;
      continue;
    }
    if (!std::isfinite(rounded) || std::abs(rounded) < std::numeric_limits<double>::min()) {
      if (!std::isfinite(rounded)) {
        EXPECT_EQ(value, rounded) << name(f) << "(" << x[n] << ", " << y[n] << ")";
      }
      continue;
    }
    const Quad ulp = std::nextafter(std::abs(rounded), std::numeric_limits<double>::infinity()) - std::abs(rounded);
    const double error = static_cast<double>(fabsq(static_cast<Quad>(value) - exact) / ulp);
    if (!(error <= worst)) worst = error, worst_x = x[n], worst_y = y[n];
  }
  RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, 2.0) << name(f) << "(" << worst_x << ", " << worst_y << ")";
}

TEST_P(ElementaryFunction, AcceptsItsArgumentAsResult) {
  const Function f = GetParam();
  std::vector<double> x = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
  const auto original = x;
  apply(f, x.data(), original.data(), x.data(), static_cast<int>(x.size()));
  for (std::size_t n = 0; n < x.size(); ++n) EXPECT_TRUE(same_bits(x[n], apply(f, original[n], original[n])));
}

TEST_P(ElementaryFunction, IsComputedInThePrecisionOfItsArgument) {
  const Function f = GetParam();
  const Quad exact = apply<Quad>(f, 0.3, 0.7);
  const double rounded = apply<double>(f, 0.3, 0.7);
  EXPECT_LE(fabsq(rounded - exact), 2 * 0x1p-53 * fabsq(exact)) << name(f);
}

std::vector<Function> all_functions() {
  std::vector<Function> all;
  for (int f = 0; f <= static_cast<int>(Function::atan2); ++f) all.push_back(static_cast<Function>(f));
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ElementaryFunction, testing::ValuesIn(all_functions()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace cotangent
