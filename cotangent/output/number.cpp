#include "cotangent/output/number.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace cotangent {
namespace {

// Numbers with their point at most this far from their first digit are written without an exponent.
constexpr int kMaxZeros = 4;
constexpr int kMaxDigits = 16;

// "-d.ddde+XX" as people write it: 100000 and 0.001, but 1e-300 and 1e20.
void append_readable(std::string& text, std::string_view scientific) {
  const auto e = scientific.find('e');
  const int exponent = std::atoi(scientific.data() + e + 1);
  std::string_view mantissa = scientific.substr(0, e);
  if (exponent < -kMaxZeros || exponent >= kMaxDigits) {
    text += mantissa;
    text += 'e';
    text += std::to_string(exponent);
    return;
  }
  if (mantissa.front() == '-') {
    text += '-';
    mantissa.remove_prefix(1);
  }
  std::string digits(1, mantissa.front());
  if (mantissa.size() > 2) digits += mantissa.substr(2);
  if (exponent < 0) {
    text += "0.";
    text.append(static_cast<std::size_t>(-exponent - 1), '0');
    text += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    text += digits;
    text.append(whole - digits.size(), '0');
  } else {
    text.append(digits, 0, whole);
    text += '.';
    text.append(digits, whole);
  }
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
