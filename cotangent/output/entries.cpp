#include "cotangent/output/entries.hpp"

namespace cotangent {

std::vector<std::int64_t> entries_in_reading_order(const std::vector<std::int64_t>& shape, std::int64_t offset) {
  std::vector<std::int64_t> places{offset};
  std::int64_t stride = 1;
  for (const std::int64_t extent : shape) {
    std::vector<std::int64_t> longer;
    longer.reserve(places.size() * static_cast<std::size_t>(extent));
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < extent; ++i) longer.push_back(place + i * stride);
    places = std::move(longer);
    stride *= extent;
  }
  return places;
}

}  // namespace cotangent
