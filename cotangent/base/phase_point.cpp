#include "cotangent/base/phase_point.hpp"

#include <atomic>

namespace cotangent {
namespace {

// Sources own blocks of 2^40 numbers in the upper half; single numbers come from the lower half.
constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;
constexpr int kBlockBits = 40;

std::uint64_t next(std::atomic<std::uint64_t>& counter) { return counter.fetch_add(1, std::memory_order_relaxed) + 1; }

}  // namespace

std::uint64_t unique_revision() {
  static std::atomic<std::uint64_t> counter{0};
  return next(counter);
}

RevisionSource::RevisionSource() {
  static std::atomic<std::uint64_t> blocks{0};
  next_ = kUpperHalf | next(blocks) << kBlockBits;
}

}  // namespace cotangent
