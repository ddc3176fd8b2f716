#pragma once

#include <cstdint>
#include <string_view>

namespace cotangent {

/// The hash FNV-1a, with 64 bits, of a text that comes in pieces: equal for equal texts, and different for others but
/// by a chance of 2^-64.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace cotangent
