#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A few rows a_k, as A = L Q with orthonormal rows of Q and L lower triangular: the modified Gram-Schmidt process,
/// from the first row to the last. A row of which those before leave no more than `nothing` of its length depends on
/// them, and so does one of length zero: its row of Q is zero, and it counts no more.
template <class T>
class RowBasis {
 public:
  RowBasis(std::size_t count, std::size_t size, LaneOf<T> nothing)
      : count_(count),
        size_(size),
        nothing_(nothing),
        q_(count * size, T(0)),
        l_(count * count, T(0)),
        y_(count, T(0)) {}

  /// Row k, to be written before factor().
  T* row(std::size_t k) { return q_.data() + k * size_; }

  void factor() {
    for (std::size_t k = 0; k < count_; ++k) {
      T* a = row(k);
      const T length = sqrt(product(a, a));
      for (std::size_t i = 0; i < k; ++i) l(k, i) = take_away(row(i), a);
      const T rest = sqrt(product(a, a));
      const Mask<T> counts = rest > nothing_ * length;
      l(k, k) = select(counts, rest, T(0));
      for (std::size_t j = 0; j < size_; ++j) a[j] = select(counts, a[j] / rest, T(0));
    }
  }

  /// Where row k counts.
  Mask<T> counts(std::size_t k) const { return l_[k * count_ + k] > T(0); }

  /// The smallest x with A x = b, as far as rows count.
  void solve(const T* b, T* x) {
    std::fill_n(x, size_, T(0));
    for (std::size_t k = 0; k < count_; ++k) {
      T y = b[k];
      for (std::size_t i = 0; i < k; ++i) y -= l(k, i) * y_[i];
      y_[k] = select(counts(k), y / l(k, k), T(0));
      for (std::size_t j = 0; j < size_; ++j) x[j] += y_[k] * row(k)[j];
    }
  }

 private:
  T& l(std::size_t k, std::size_t i) { return l_[k * count_ + i]; }

  T product(const T* a, const T* b) const {
    T sum(0);
    for (std::size_t j = 0; j < size_; ++j) sum += a[j] * b[j];
    return sum;
  }

  // Of x its part along q: how long that was.
  T take_away(const T* q, T* x) const {
    const T along = product(q, x);
    for (std::size_t j = 0; j < size_; ++j) x[j] -= along * q[j];
    return along;
  }

  std::size_t count_, size_;
  LaneOf<T> nothing_;
  std::vector<T> q_, l_, y_;
};

}  // namespace cotangent
