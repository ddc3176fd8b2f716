#include "cotangent/model/model.hpp"

#include <functional>
#include <numeric>

namespace cotangent {

namespace {

std::int64_t entries(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::int64_t Coordinate::size() const { return entries(shape); }

std::int64_t State::size() const { return entries(shape); }

std::int64_t Model::dimension() const {
  return std::accumulate(coordinates.begin(), coordinates.end(), std::int64_t{0},
                         [](std::int64_t sum, const Coordinate& c) { return sum + c.size(); });
}

}  // namespace cotangent
