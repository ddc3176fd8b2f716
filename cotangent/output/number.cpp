#include "cotangent/output/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace cotangent {
namespace {

// Numbers with their point at most this far from their first digit are written without an exponent.
constexpr int kMaxZeros = 4;

// "-d.ddde+XX" as people write it: 100000 and 0.001, but 1e-300 and 1e20.
void append_readable(std::string& text, std::string_view scientific) {
  const auto e = scientific.find('e');
  const int exponent = std::atoi(scientific.data() + e + 1);
  std::string digits(scientific.substr(0, e));
  if (exponent < -kMaxZeros || exponent > std::numeric_limits<double>::digits10) {
    text += digits + 'e' + std::to_string(exponent);
    return;
  }
  if (digits.front() == '-') {
    text += '-';
    digits.erase(0, 1);
  }
  std::erase(digits, '.');
  if (exponent < 0) digits.insert(0, static_cast<std::size_t>(-exponent), '0');
  const auto whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
  digits.resize(std::max(digits.size(), whole), '0');
  if (digits.size() > whole) digits.insert(whole, 1, '.');
  text += digits;
}

}  // namespace

void append_number(std::string& text, double x) {
  std::array<char, 64> buffer{};  // ends with a zero, whatever is written
  if (!isfinite(x)) {
    text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr);
    return;
  }
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size() - 1, x, std::chars_format::scientific);
  append_readable(text, {buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data())});
}

void append_number(std::string& text, Quad x) {
  if (!isfinite(x)) return append_number(text, static_cast<double>(x));
  std::array<char, 64> buffer{};
  for (int digits = 0; digits <= 35; ++digits) {
    quadmath_snprintf(buffer.data(), buffer.size(), "%.*Qe", digits, x);
    if (strtoflt128(buffer.data(), nullptr) == x) break;
  }
  append_readable(text, buffer.data());
}

}  // namespace cotangent
