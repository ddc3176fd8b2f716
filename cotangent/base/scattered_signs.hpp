#pragma once

#include <cstdint>

namespace cotangent {

/// Signs without a pattern, always the same ones: numbers that are moved by an ulp in these directions are moved as
/// rounding errors move them, and every run sees the same.
class ScatteredSigns {
 public:
  template <class T>
  T operator()(const T& size) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 63 == 0 ? size : -size;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace cotangent
