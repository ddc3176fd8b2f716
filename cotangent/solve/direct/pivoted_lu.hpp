#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// P A = L U of a small full matrix, with rows exchanged so that every pivot is the largest of its column. For numbers:
/// which rows are exchanged is decided by their values.
template <class T>
class PivotedLu {
 public:
  explicit PivotedLu(std::size_t size) : size_(size), a_(size * size, T(0)), row_(size), largest_(size, T(0)) {}

  /// Whether no pivot is smaller than rounding error leaves of the largest entry of its row. @param a row by row.
  [[nodiscard]] bool factor(const std::vector<T>& a) {
    a_ = a;
    std::iota(row_.begin(), row_.end(), std::size_t{0});
    bool regular = true;
    sign_ = 1;
    for (std::size_t i = 0; i < size_; ++i) {
      largest_[i] = T(0);
      for (std::size_t j = 0; j < size_; ++j) {
        regular = regular && isfinite(at(i, j));
        largest_[i] = max(largest_[i], abs(at(i, j)));
      }
    }
    const T least(static_cast<LaneOf<T>>(size_) * epsilon<T>());
    for (std::size_t k = 0; k < size_; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < size_; ++i)
        if (abs(at(i, k)) > abs(at(best, k))) best = i;
      if (best != k) {
        sign_ = -sign_;
        std::swap(row_[k], row_[best]);
        for (std::size_t j = 0; j < size_; ++j) std::swap(at(k, j), at(best, j));
      }
      if (at(k, k) < T(0)) sign_ = -sign_;
      regular = regular && abs(at(k, k)) > least * largest_[row_[k]];
      for (std::size_t i = k + 1; i < size_; ++i) {
        const T l = at(i, k) /= at(k, k);
        if (l == T(0)) continue;
        for (std::size_t j = k + 1; j < size_; ++j) at(i, j) -= l * at(k, j);
      }
    }
    return regular;
  }

  /// The sign of the determinant.
  int sign() const { return sign_; }

  /// x <- A^-1 x, with b as workspace.
  void solve(T* x, std::vector<T>& b) const {
    b.assign(size_, T(0));
    for (std::size_t i = 0; i < size_; ++i) {
      b[i] = x[row_[i]];
      for (std::size_t j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t j = i + 1; j < size_; ++j) b[i] -= at(i, j) * b[j];
      b[i] /= at(i, i);
    }
    for (std::size_t i = 0; i < size_; ++i) x[i] = b[i];
  }

  /// x <- (A')^-1 x.
  void solve_transposed(T* x, std::vector<T>& b) const {
    b.assign(x, x + size_);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= at(j, i) * b[j];
      b[i] /= at(i, i);
    }
    for (std::size_t i = size_; i-- > 0;)
      for (std::size_t j = i + 1; j < size_; ++j) b[i] -= at(j, i) * b[j];
    for (std::size_t i = 0; i < size_; ++i) x[row_[i]] = b[i];
  }

 private:
  T& at(std::size_t i, std::size_t j) { return a_[i * size_ + j]; }
  const T& at(std::size_t i, std::size_t j) const { return a_[i * size_ + j]; }

  std::size_t size_;
  int sign_ = 1;
  std::vector<T> a_;
  std::vector<std::size_t> row_;
  std::vector<T> largest_;
};

}  // namespace cotangent
