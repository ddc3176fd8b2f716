#include "cotangent/output/record/rows_text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

namespace cotangent {

std::string rows_text(std::span<const double> numbers) {
  std::string text;
  for (const double x : numbers) fmt::format_to(std::back_inserter(text), "{:a} ", x);
  return text;
}

std::vector<double> rows_of_text(std::string_view view) {
  const std::string text(view);
  std::vector<double> numbers;
  char* end = nullptr;
  for (const char* at = text.c_str();; at = end) {
    const double x = std::strtod(at, &end);
    if (end == at) return numbers;
    numbers.push_back(x);
  }
}

}  // namespace cotangent
