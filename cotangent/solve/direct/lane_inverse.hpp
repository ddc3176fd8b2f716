#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A^-1 of a small full matrix by Gauss and Jordan's method, in each lane of T with the largest pivot of a column.
template <class T>
class LaneInverse {
 public:
  explicit LaneInverse(std::size_t size) : size_(size), a_(size * size, T(0)), inverse_(a_) {}

  std::size_t size() const { return size_; }

  /// A, to be written before invert(), which destroys it.
  T& operator()(std::size_t i, std::size_t j) { return a_[i * size_ + j]; }

  /// In which lanes all pivots are larger than that.
  [[nodiscard]] Mask<T> invert(const T& least) {
    Mask<T> regular(true);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) inverse_[i * size_ + j] = T(i == j ? 1 : 0);
    for (std::size_t k = 0; k < size_; ++k) {
      for (std::size_t i = k + 1; i < size_; ++i) exchange(abs(at(i, k)) > abs(at(k, k)), i, k);
      regular = regular & (abs(at(k, k)) > least);
      const T pivot = T(1) / at(k, k);
      for (std::size_t j = 0; j < size_; ++j) {
        at(k, j) *= pivot;
        inverse_[k * size_ + j] *= pivot;
      }
      for (std::size_t i = 0; i < size_; ++i) {
        if (i == k) continue;
        const T l = at(i, k);
        for (std::size_t j = 0; j < size_; ++j) {
          at(i, j) -= l * at(k, j);
          inverse_[i * size_ + j] -= l * inverse_[k * size_ + j];
        }
      }
    }
    return regular;
  }

  /// x = A^-1 b.
  void times(const T* b, T* x) const {
    for (std::size_t i = 0; i < size_; ++i) {
      x[i] = T(0);
      for (std::size_t j = 0; j < size_; ++j) x[i] += inverse_[i * size_ + j] * b[j];
    }
  }

  /// The largest sum of |entries| of a row of A^-1, with weights of its columns.
  T norm(const std::vector<T>& weights) const {
    T most(0);
    for (std::size_t i = 0; i < size_; ++i) {
      T sum(0);
      for (std::size_t j = 0; j < size_; ++j) sum += abs(inverse_[i * size_ + j]) * weights[j];
      most = max(most, sum);
    }
    return most;
  }

 private:
  T& at(std::size_t i, std::size_t j) { return a_[i * size_ + j]; }

  // Rows i and k, in these lanes.
  void exchange(const Mask<T>& lanes, std::size_t i, std::size_t k) {
    if (!any(lanes)) return;
    const auto swap = [&](T& x, T& y) {
      const T old = x;
      x = select(lanes, y, x);
      y = select(lanes, old, y);
    };
    for (std::size_t j = 0; j < size_; ++j) {
      swap(at(i, j), at(k, j));
      swap(inverse_[i * size_ + j], inverse_[k * size_ + j]);
    }
  }

  std::size_t size_;
  std::vector<T> a_, inverse_;
};

}  // namespace cotangent
