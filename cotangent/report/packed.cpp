#include "cotangent/report/packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cotangent {
namespace {

std::string base64(std::span<const unsigned char> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t j) { return k + j < bytes.size() ? std::uint32_t{bytes[k + j]} : 0; };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t j = 0; j < 4; ++j) text += j <= bytes.size() - k ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

template <class X>
std::string deflated(std::span<const X> numbers) {
  std::vector<unsigned char> planes(numbers.size_bytes());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    unsigned char bytes[sizeof(X)];
    std::memcpy(bytes, &numbers[k], sizeof(X));
    for (std::size_t b = 0; b < sizeof(X); ++b) planes[b * numbers.size() + k] = bytes[b];
  }
  uLongf size = compressBound(static_cast<uLong>(planes.size()));
  std::vector<unsigned char> small(size);
  if (compress2(small.data(), &size, planes.data(), static_cast<uLong>(planes.size()), 6) != Z_OK)
    throw std::runtime_error("the data of the page could not be compressed");
  return base64({small.data(), size});
}

}  // namespace

Json packed(std::span<const double> numbers) {
  return Json::object({{"type", "f64"}, {"count", std::ssize(numbers)}, {"data", deflated(numbers)}});
}

Json packed_frames(std::span<const float> numbers, std::int64_t columns, std::int64_t axes) {
  const auto width = static_cast<std::size_t>(columns), groups = static_cast<std::size_t>(axes);
  std::vector<double> low(groups, 0), high(groups, 0);
  for (std::size_t a = 0; a < groups; ++a) {
    bool is_first = true;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (k % width % groups != a || !std::isfinite(numbers[k])) continue;
      const double x = numbers[k];
      low[a] = is_first ? x : std::min(low[a], x);
      high[a] = is_first ? x : std::max(high[a], x);
      is_first = false;
    }
  }
  std::vector<std::uint16_t> steps(numbers.size());
  const std::size_t rows = width > 0 ? numbers.size() / width : 0;
  // Columns one after the other: neighbours in time stand side by side.
  for (std::size_t c = 0; c < width; ++c) {
    const std::size_t a = c % groups;
    const double scale = high[a] > low[a] ? 65535 / (high[a] - low[a]) : 0;
    std::uint16_t before = 0, difference = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = numbers[r * width + c];
      const auto k = static_cast<std::uint16_t>(std::isfinite(x) ? std::lround((x - low[a]) * scale) : 0);
      const auto now = static_cast<std::uint16_t>(k - before);
      steps[c * rows + r] = static_cast<std::uint16_t>(now - difference);
      before = k, difference = now;
    }
  }
  const auto number = [](double x) { return Json(x); };
  return Json::object({{"type", "frames"},
                       {"rows", static_cast<std::int64_t>(rows)},
                       {"columns", columns},
                       {"low", Json::list(Json::each(low, number))},
                       {"high", Json::list(Json::each(high, number))},
                       {"data", deflated(std::span<const std::uint16_t>(steps))}});
}

}  // namespace cotangent
