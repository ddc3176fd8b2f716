#include "cotangent/base/index_map.hpp"

#include <algorithm>

namespace cotangent {

IndexMap IndexMap::from_list(std::vector<std::int32_t> list) {
  const std::int64_t offset = list.empty() ? 0 : list[0];
  const std::int64_t stride = list.size() < 2 ? 0 : list[1] - offset;
  bool affine = true;
  for (std::size_t k = 0; k < list.size() && affine; ++k)
    affine = list[k] == offset + stride * static_cast<std::int64_t>(k);
  IndexMap map(offset, stride);
  if (!affine) map.list_ = std::make_shared<const std::vector<std::int32_t>>(std::move(list));
  return map;
}

IndexMap IndexMap::slice(std::int64_t first, std::int64_t count) const {
  if (!list_) return affine(offset_ + stride_ * first, stride_);
  return from_list({list_->begin() + first, list_->begin() + first + count});
}

IndexMap IndexMap::after(const IndexMap& inner, std::int64_t count) const {
  if (!list_ && !inner.list_) return affine(offset_ + stride_ * inner.offset_, stride_ * inner.stride_);
  std::vector<std::int32_t> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) list.push_back(static_cast<std::int32_t>((*this)(inner(k))));
  return from_list(std::move(list));
}

IndexMap IndexMap::shifted(std::int64_t distance) const {
  if (!list_) return affine(offset_ + distance, stride_);
  auto list = *list_;
  for (auto& index : list) index = static_cast<std::int32_t>(index + distance);
  return from_list(std::move(list));
}

std::pair<std::int64_t, std::int64_t> IndexMap::bounds(std::int64_t count) const {
  if (!list_) return std::minmax({(*this)(0), (*this)(count - 1)});
  const auto [low, high] = std::minmax_element(list_->begin(), list_->begin() + count);
  return {*low, *high};
}

bool IndexMap::is_injective(std::int64_t count) const {
  if (!list_) return stride_ != 0 || count <= 1;
  std::vector<std::int32_t> sorted(list_->begin(), list_->begin() + count);
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace cotangent
