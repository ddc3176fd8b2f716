#include "cotangent/report/packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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

Json packed_frames(std::span<const float> numbers, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t rows = width > 0 ? numbers.size() / width : 0;
  std::vector<double> lows, highs;
  std::vector<std::uint16_t> steps;
  steps.reserve(numbers.size());
  // Columns one after the other: neighbours in time stand side by side.
  for (std::size_t c = 0; c < width; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t r = 0; r < rows; ++r)
      if (const double x = numbers[r * width + c]; std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    if (!(low <= high)) low = high = 0;
    lows.push_back(low), highs.push_back(high);
    const double scale = high > low ? 65535 / (high - low) : 0;
    std::uint16_t before = 0, difference = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = numbers[r * width + c];
      const auto k = static_cast<std::uint16_t>(std::isfinite(x) ? std::lround((x - low) * scale) : 0);
      const auto now = static_cast<std::uint16_t>(k - before);
      steps.push_back(static_cast<std::uint16_t>(now - difference));
      before = k, difference = now;
    }
  }
  return Json::object({{"type", "frames"},
                       {"rows", static_cast<std::int64_t>(rows)},
                       {"columns", columns},
                       {"low", packed(lows)},
                       {"high", packed(highs)},
                       {"data", deflated(std::span<const std::uint16_t>(steps))}});
}

}  // namespace cotangent
