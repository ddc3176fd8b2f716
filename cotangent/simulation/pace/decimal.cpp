#include "cotangent/simulation/pace/decimal.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <>
double decimal(double x) {
  return x;
}

template <>
Quad decimal(double x) {
  return strtoflt128(fmt::format("{}", x).c_str(), nullptr);
}

template <class T>
DecimalMultiples<T>::DecimalMultiples(double x) : x_(decimal<T>(x)) {
  // "d.ddde-XX", the shortest that names x.
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific).ptr;
  const std::string_view all(text.data(), end);
  const auto e = all.find('e');
  int places = -std::atoi(all.data() + e + 1);
  std::int64_t digits = all[0] - '0';
  for (const char c : all.substr(1, e - 1)) {
    if (c == '.') continue;
    digits = 10 * digits + (c - '0');
    ++places;
  }
  for (; digits > 0 && digits % 10 == 0; --places) digits /= 10;

  // An integer, or nothing that helps: the product is as good as it gets. 10^places is exact in every T if 5^places is.
  if (digits == 0 || places < 0 || places * std::log2(5.0) > std::numeric_limits<double>::digits) return;
  digits_ = static_cast<T>(digits);
  for (int k = 0; k < places; ++k) power_ *= T(10);
  // Integers up to 2 / epsilon are exact; one less, so that rounding of the bound itself does no harm.
  const T most = T(2) / epsilon<T>();
  last_exact_ = most / digits_ - T(1);
}

COTANGENT_INSTANTIATE(PRECISIONS, DecimalMultiples);

}  // namespace cotangent
