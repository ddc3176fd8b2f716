#include "cotangent/simulation/pace/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

namespace {

template <class T>
T power_of_ten(int exponent) {
  T power(1);
  for (int k = 0; k < exponent; ++k) power *= T(10);
  return power;
}

}  // namespace

template <>
double decimal(double x) {
  return x;
}

template <>
Quad decimal(double x) {
  return strtoflt128(fmt::format("{}", x).c_str(), nullptr);
}

namespace {

// x = digits / 10^places, the shortest decimal that names x.
struct Digits {
  std::int64_t digits;
  int places;
};

Digits digits_of(double x) {
  // "d.ddde-XX".
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(x), std::chars_format::scientific).ptr;
  const std::string_view all(text.data(), end);
  const auto e = all.find('e');
  int places = -std::atoi(all.data() + e + 1);
  std::int64_t digits = all[0] - '0';
  for (const char c : all.substr(1, e - 1)) {
    if (c == '.') continue;
    digits = 10 * digits + (c - '0');
    ++places;
  }
  if (digits == 0) return {0, 0};
  for (; digits % 10 == 0; --places) digits /= 10;
  return {x < 0 ? -digits : digits, places};
}

}  // namespace

template <class T>
DecimalMultiples<T>::DecimalMultiples(double x, double start) : x_(decimal<T>(x)), start_(decimal<T>(start)) {
  const Digits step = digits_of(x), first = digits_of(start);
  const int places = std::max({step.places, first.places, 0});
  const auto whole = [places](const Digits& of) {
    return static_cast<T>(of.digits) * power_of_ten<T>(places - of.places);
  };
  const T most = T(2) / epsilon<T>();  // integers up to it are exact

  // Integers, or nothing that helps: sum and product are as good as it gets. 10^places is exact in every T if 5^places
  // is.
  if (step.digits == 0 || (step.places < 0 && first.digits == 0)) return;
  if (places * std::log2(5.0) > std::numeric_limits<double>::digits) return;
  const T digits = whole(step), start_digits = whole(first);
  if (!(abs(digits) < most) || !(abs(start_digits) < most)) return;
  digits_ = digits;
  start_digits_ = start_digits;
  power_ = power_of_ten<T>(places);
  // One less, so that rounding of the bound itself does no harm.
  last_exact_ = (most - abs(start_digits_)) / abs(digits_) - T(1);
}

COTANGENT_INSTANTIATE(PRECISIONS, DecimalMultiples);

}  // namespace cotangent
