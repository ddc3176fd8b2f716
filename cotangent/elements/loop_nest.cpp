#include "cotangent/elements/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cotangent/base/limits.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// The largest number of instances: index lists hold 32-bit numbers.
constexpr std::int64_t most() { return std::numeric_limits<std::int32_t>::max(); }

[[noreturn]] void too_many() {
  throw std::invalid_argument(fmt::format("a loop has more than {} instances, the largest number supported", most()));
}

std::int64_t to_integer(double value, Expr e) {
  if (std::isnan(value)) throw std::invalid_argument(fmt::format("the index {} leaves a table", to_string(e)));
  if (!(std::abs(value) <= static_cast<double>(kLimits.integer) && std::nearbyint(value) == value))
    throw std::invalid_argument(
        fmt::format("the index {} has the value {}, which is not an integer", to_string(e), value));
  return static_cast<std::int64_t>(value);
}

// An entry of an index list.
std::int32_t to_entry(std::int64_t index) {
  if (!std::in_range<std::int32_t>(index))
    throw std::invalid_argument(
        fmt::format("the index {} is too large for a list of instances; the limit is {}", index, most()));
  return static_cast<std::int32_t>(index);
}

}  // namespace

LoopNest::LoopNest(std::vector<Loop> loops, const ParameterMap& tables) : loops_(std::move(loops)), tables_(&tables) {
  for (const Loop& loop : loops_) symbols_.push_back(loop.index);
  Instances instances(loops_, tables);
  const std::size_t d = loops_.size();
  if (d == 0) {
    prefixes_.push_back(IndexMap::fixed(0));
    return;
  }
  // Counted first: memory is not filled with lists that turn out to be too long.
  std::int64_t outer = 0;
  count_ = 0;
  instances.walk(d - 1, [&](std::size_t level) {
    if (++outer > kLimits.entries) too_many();
    if (level + 1 < d) return false;
    const auto [first, last] = instances.bounds(level);
    count_ += std::max<std::int64_t>(0, last - first + 1);
    if (count_ > most()) too_many();
    return false;
  });
  if (d == 1) {
    indices_.push_back(IndexMap::affine(instances.bounds(0).first, 1));
    prefixes_ = {IndexMap::fixed(0), IndexMap::affine(0, 1)};
    return;
  }
  std::vector<std::vector<std::int32_t>> indices(d), prefixes(d + 1);
  std::vector<std::int32_t> instance(d + 1, -1);
  instances.walk(d, [&](std::size_t level) {
    ++instance[level];
    if (level < d) return false;
    for (std::size_t l = 0; l < d; ++l) indices[l].push_back(to_entry(static_cast<std::int64_t>(instances.point()[l])));
    for (std::size_t l = 0; l <= d; ++l) prefixes[l].push_back(instance[l]);
    return false;
  });
  for (auto& list : indices) indices_.push_back(IndexMap::from_list(std::move(list)));
  for (auto& list : prefixes) prefixes_.push_back(IndexMap::from_list(std::move(list)));
}

IndexMap LoopNest::map(Expr e) const {
  if (count_ == 0) return IndexMap::fixed(0);
  IndexFunction value(e, symbols_, *tables_);
  std::vector<double> point(loops_.size());
  const auto at = [&](std::int64_t k) {
    for (std::size_t l = 0; l < point.size(); ++l) point[l] = static_cast<double>(indices_[l](k));
    return to_integer(value(point), e);
  };
  const bool affine_indices =
      std::ranges::all_of(indices_, [](const IndexMap& index) { return index.kind() != IndexMap::Kind::list; });
  if (value.affine() && affine_indices)
    return count_ == 1 ? IndexMap::fixed(at(0)) : IndexMap::affine(at(0), at(1) - at(0));
  std::vector<std::int32_t> list;
  list.reserve(static_cast<std::size_t>(count_));
  for (std::int64_t k = 0; k < count_; ++k) list.push_back(to_entry(at(k)));
  return IndexMap::from_list(std::move(list));
}

}  // namespace cotangent
