#pragma once

#include <algorithm>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A few rows a_k, as A = L Q with orthonormal rows of Q: the modified Gram-Schmidt process, which goes on with the row
/// of which those before leave the largest part of its length. Once that is no more than `nothing`, the rows that are
/// left depend on those before and count no more. The choice is what makes it well conditioned: of rows that depend on
/// each other together, any might be left out, but some of the others may be nearly dependent, too.
template <class T>
class RowBasis {
 public:
  RowBasis(std::size_t count, std::size_t size, LaneOf<T> nothing)
      : count_(count),
        size_(size),
        nothing_(nothing),
        a_(count * size, T(0)),
        q_(a_),
        l_(count * count, T(0)),
        lengths_(count, T(0)),
        parts_(lengths_),
        rest_(lengths_),
        chosen_(count * count, Mask<T>(false)),
        counts_(count, Mask<T>(false)) {}

  /// Row k, to be written before factor().
  T* row(std::size_t k) { return a_.data() + k * size_; }

  void factor() {
    for (std::size_t k = 0; k < count_; ++k) {
      lengths_[k] = sqrt(product(row(k), row(k)));
      counts_[k] = Mask<T>(false);
    }
    for (std::size_t s = 0; s < count_; ++s) {
      T most(nothing_);
      for (std::size_t k = 0; k < count_; ++k) {
        parts_[k] = select(counts_[k] | !(lengths_[k] > T(0)), T(0), sqrt(product(row(k), row(k))) / lengths_[k]);
        most = max(most, parts_[k]);
      }
      Mask<T> is_found(false);
      std::fill_n(q(s), size_, T(0));
      for (std::size_t k = 0; k < count_; ++k) {
        const Mask<T> is_next = (parts_[k] >= most) & (parts_[k] > T(nothing_)) & !is_found;
        chosen_[s * count_ + k] = is_next;
        is_found = is_found | is_next;
        const T rest = parts_[k] * lengths_[k];
        for (std::size_t j = 0; j < size_; ++j) q(s)[j] = select(is_next, row(k)[j] / rest, q(s)[j]);
      }
      for (std::size_t k = 0; k < count_; ++k) {
        l(k, s) = select(counts_[k], T(0), take_away(q(s), row(k)));
        counts_[k] = counts_[k] | chosen_[s * count_ + k];
      }
    }
  }

  /// Where row k counts.
  Mask<T> counts(std::size_t k) const { return counts_[k]; }

  /// The smallest x with A x = b, as far as rows count.
  void solve(const T* b, T* x) {
    std::fill_n(x, size_, T(0));
    std::copy_n(b, count_, rest_.begin());
    for (std::size_t s = 0; s < count_; ++s) {
      T y(0);
      for (std::size_t k = 0; k < count_; ++k) y = select(chosen_[s * count_ + k], rest_[k] / l(k, s), y);
      for (std::size_t k = 0; k < count_; ++k) rest_[k] -= l(k, s) * y;
      for (std::size_t j = 0; j < size_; ++j) x[j] += y * q(s)[j];
    }
  }

 private:
  T* q(std::size_t s) { return q_.data() + s * size_; }
  T& l(std::size_t k, std::size_t s) { return l_[k * count_ + s]; }

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
  std::vector<T> a_, q_, l_, lengths_, parts_, rest_;
  std::vector<Mask<T>> chosen_, counts_;  // row k by step s, k by any
};

}  // namespace cotangent
