#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace cotangent {

/// Where the k-th instance of a family finds (or leaves) one number: an index for each k = 0, 1, ...
///
/// Almost every index list of a mechanical system is affine in k (x[i], x[i-1], a shared x[1]); those are kept
/// as offset + stride k, so that a family of a million instances stores two numbers and its kernel needs no
/// gather. Anything else is a list.
class IndexMap {
 public:
  enum class Kind : std::uint8_t { fixed, unit, strided, list };

  static IndexMap fixed(std::int64_t index) { return affine(index, 0); }
  static IndexMap affine(std::int64_t offset, std::int64_t stride) { return IndexMap(offset, stride); }

  /// Takes a list and keeps it affine where it is.
  static IndexMap from_list(std::vector<std::int32_t> list);

  Kind kind() const {
    if (list_) return Kind::list;
    return stride_ == 0 ? Kind::fixed : stride_ == 1 ? Kind::unit : Kind::strided;
  }
  std::int64_t offset() const { return offset_; }
  std::int64_t stride() const { return stride_; }

  /// The list, or a null pointer for an affine map.
  const std::int32_t* list() const { return list_ ? list_->data() : nullptr; }

  std::int64_t operator()(std::int64_t k) const {
    return list_ ? (*list_)[static_cast<std::size_t>(k)] : offset_ + stride_ * k;
  }

  /// The map k -> this(first + k), for k in [0, count).
  IndexMap slice(std::int64_t first, std::int64_t count) const;

  /// The map k -> this(inner(k)), for k in [0, count).
  IndexMap after(const IndexMap& inner, std::int64_t count) const;

  /// The map k -> this(k) + distance.
  IndexMap shifted(std::int64_t distance) const;

  /// The smallest and the largest index over k in [0, count). @pre count > 0.
  std::pair<std::int64_t, std::int64_t> bounds(std::int64_t count) const;

  /// Whether both are known to be the same map; two lists count as the same only if they share their memory.
  friend bool operator==(const IndexMap&, const IndexMap&) = default;

  /// Whether the indices for k in [0, count) are pairwise different.
  bool is_injective(std::int64_t count) const;

 private:
  IndexMap(std::int64_t offset, std::int64_t stride) : offset_(offset), stride_(stride) {}

  std::int64_t offset_ = 0;
  std::int64_t stride_ = 0;
  std::shared_ptr<const std::vector<std::int32_t>> list_;
};

}  // namespace cotangent
