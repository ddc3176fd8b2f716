#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace cotangent {

/// A hash of rows of numbers that come in pieces, a word at a time: it keeps up with a disk.
class RowFingerprint {
 public:
  void add(std::span<const double> numbers) {
    for (const double x : numbers) {
      hash_ = (hash_ ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15U;
      hash_ ^= hash_ >> 32;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace cotangent
