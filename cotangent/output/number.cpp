#include "cotangent/output/number.hpp"

#include <charconv>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

template <class T>
void append_shortest(std::string& text, T x) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, x);
  text.append(buffer, result.ptr);
}

}  // namespace

void append_number(std::string& text, double x) { append_shortest(text, x); }

void append_number(std::string& text, long double x) { append_shortest(text, x); }

void append_number(std::string& text, Quad x) {
  if (!isfinite(x)) return append_number(text, static_cast<double>(x));
  text += to_string(x);
}

}  // namespace cotangent
