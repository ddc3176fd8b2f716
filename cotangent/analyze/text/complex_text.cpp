#include "cotangent/analyze/text/complex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

// Beside the largest of several eigenvalues: of a multiple one, errors are the root of rounding.
const double kNoise = std::sqrt(kNearUnits * std::numeric_limits<double>::epsilon());

}  // namespace

std::string to_text(const Complex& x, double size) {
  const bool is_real = std::abs(x.imag()) <= kNoise * size, is_imaginary = std::abs(x.real()) <= kNoise * size;
  if (is_real && is_imaginary) return "0";
  if (is_real) return fmt::format("{:.6g}", x.real());
  if (is_imaginary) return fmt::format("{:.6g}i", x.imag());
  return fmt::format("{:.6g}{:+.6g}i", x.real(), x.imag());
}

std::string to_text(const std::vector<Complex>& values) {
  double size = 0;
  for (const Complex& x : values) size = std::max(size, std::abs(x));
  std::vector<Complex> left = values;
  const auto take = [&](const Complex& x) {
    const auto found =
        std::find_if(left.begin(), left.end(), [&](const Complex& y) { return std::abs(x - y) <= kNoise * size; });
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  };
  std::vector<std::string> words;
  while (!left.empty()) {
    const Complex x = left.front();
    left.erase(left.begin());
    const bool is_zero = std::abs(x) <= kNoise * size;
    bool is_pair = !is_zero && take(-x);
    // A pair is named by its member with the positive part.
    const Complex shown =
        is_pair && (x.real() < -kNoise * size || (x.real() <= kNoise * size && x.imag() < 0)) ? -x : x;
    std::size_t count = 1;
    while (!left.empty() && take(x) && (!is_pair || take(-x))) ++count;
    std::string word = (is_pair ? "+-" : "") + to_text(shown, size);
    if (is_pair && word.find_first_of("+-", 2) != word.npos) word = fmt::format("+-({})", to_text(shown, size));
    if (count > 1) word += fmt::format(" ({})", times(count));
    words.push_back(std::move(word));
  }
  const bool is_long = words.size() > kLimits.names;
  if (is_long) words.resize(kLimits.names);
  return words.empty() ? "none" : fmt::format("{}{}", fmt::join(words, ", "), is_long ? ", ..." : "");
}

Json to_json(const std::vector<Complex>& values) {
  return Json::list(Json::each(values, [](const Complex& x) { return Json::list({x.real(), x.imag()}); }));
}

}  // namespace cotangent
