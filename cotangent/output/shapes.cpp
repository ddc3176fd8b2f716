#include "cotangent/output/shapes.hpp"

#include <algorithm>

namespace cotangent {
namespace {

// How many instances in a row have the same value of an index.
std::int64_t run_length(const IndexMap& index, std::int64_t count) {
  std::int64_t k = 1;
  while (k < count && index(k) == index(0)) ++k;
  return k;
}

// Whether the index counts up 0, 1, ... extent - 1 (from where it begins), each `stride` times, over and over.
bool counts_regularly(const IndexMap& index, std::int64_t count, std::int64_t stride, std::int64_t extent) {
  for (std::int64_t k = 0; k < count; ++k)
    if (index(k) - index(0) != k / stride % extent) return false;
  return true;
}

}  // namespace

std::vector<std::int64_t> entries_in_reading_order(const std::vector<std::int64_t>& shape, std::int64_t offset) {
  std::vector<std::int64_t> places{offset};
  std::int64_t stride = 1;
  for (const std::int64_t extent : shape) {
    std::vector<std::int64_t> longer;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < extent; ++i) longer.push_back(place + i * stride);
    places = std::move(longer);
    stride *= extent;
  }
  return places;
}

std::vector<std::int64_t> list_shape(const NamedValues& values, const NamedRows& rows) {
  const std::int64_t count = rows.count / std::max<std::int64_t>(rows.components, 1);
  std::vector<std::int64_t> shape;
  if (!rows.indices.empty()) {
    // From the innermost loop, which comes last, outwards.
    std::int64_t stride = 1;
    bool is_box = count > 0 && values.loops.size() == rows.indices.size();  // a loop over pairs has two indices
    for (std::size_t l = rows.indices.size(); l-- > 0 && is_box;) {
      const std::int64_t outer_run = l > 0 ? run_length(rows.indices[l - 1], count) : count;
      const std::int64_t extent = outer_run / stride;
      is_box = extent > 0 && outer_run % stride == 0 && counts_regularly(rows.indices[l], count, stride, extent);
      shape.insert(shape.begin(), extent);
      stride *= extent;
    }
    if (!is_box || stride != count) shape = {count};
  }
  if (rows.is_vector) shape.push_back(rows.components);
  return shape;
}

}  // namespace cotangent
