#include "cotangent/solve/direct/dense_ldl.hpp"

#include <algorithm>
#include <cstddef>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/pivot.hpp"

namespace cotangent {
namespace {

/// y -= a x; the loops of the factorisation and of the forward substitution.
template <class T>
inline void subtract(int count, const T& a, const T* __restrict x, T* __restrict y) {
  for (int i = 0; i < count; ++i) y[i] = fma(-a, x[i], y[i]);
}

/// z - x'y in four partial sums: one sum would wait for every fma in turn.
template <class T>
inline T minus_dot(const T& z, int count, const T* x, const T* y) {
  T s0 = z, s1 = T(0), s2 = T(0), s3 = T(0);
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    s0 = fma(-x[i], y[i], s0);
    s1 = fma(-x[i + 1], y[i + 1], s1);
    s2 = fma(-x[i + 2], y[i + 2], s2);
    s3 = fma(-x[i + 3], y[i + 3], s3);
  }
  for (; i < count; ++i) s0 = fma(-x[i], y[i], s0);
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

template <class T>
DenseLdl<T>::DenseLdl(int size, const OffDiagonal& off_diagonal)
    : size_(size),
      lower_(static_cast<std::size_t>(size) * size),
      upper_(static_cast<std::size_t>(size) * size),
      pivot_(size),
      inverse_(size) {
  position_.reserve(off_diagonal.size());
  for (const auto& [i, j] : off_diagonal) position_.push_back(j * size + i);
}

template <class T>
void DenseLdl<T>::scatter(const T* values, std::vector<T>& matrix) const {
  const bool full = 2 * position_.size() == static_cast<std::size_t>(size_) * (size_ - 1);
  if (!full) std::fill(matrix.begin(), matrix.end(), T(0));
  for (std::size_t e = 0; e < position_.size(); ++e) matrix[position_[e]] = values[e];
}

template <class T>
T DenseLdl<T>::factor(const T* diagonal, const T* lower) {
  symmetric_ = true;
  scatter(lower, lower_);
  return eliminate<true>(diagonal);
}

template <class T>
T DenseLdl<T>::factor(const T* diagonal, const T* lower, const T* upper) {
  symmetric_ = false;
  scatter(lower, lower_);
  scatter(upper, upper_);
  return eliminate<false>(diagonal);
}

template <class T>
template <bool kSymmetric>
T DenseLdl<T>::eliminate(const T* diagonal) {
  const int m = size_;
  std::copy(diagonal, diagonal + m, pivot_.begin());
  T growth = T(0);
  for (int k = 0; k < m; ++k) {
    const T inverse = inverse_[k] = T(1) / pivot_[k];
    growth = max(growth, pivot_growth(diagonal[k], inverse));

    // A(i,j) -= A(i,k) (A(k,j) / d_k) for i, j > k.
    T* const column = &lower_[k * m];                     // A(.,k)
    T* const row = kSymmetric ? column : &upper_[k * m];  // A(k,.)
    for (int j = k + 1; j < m; ++j) {
      const T u = row[j] * inverse;
      pivot_[j] = fma(-u, column[j], pivot_[j]);
      subtract(m - j - 1, u, column + j + 1, &lower_[j * m + j] + 1);
      if (!kSymmetric) subtract(m - j - 1, column[j] * inverse, row + j + 1, &upper_[j * m + j] + 1);
    }
    for (int i = k + 1; i < m; ++i) column[i] *= inverse;
    if (!kSymmetric) {
      for (int i = k + 1; i < m; ++i) row[i] *= inverse;
    }
  }
  return growth;
}

template <class T>
void DenseLdl<T>::solve(T* x) const {
  const int m = size_;
  const T* const upper = symmetric_ ? lower_.data() : upper_.data();
  for (int k = 0; k < m; ++k) subtract(m - k - 1, x[k], lower_.data() + k * m + k + 1, x + k + 1);
  for (int k = m - 1; k >= 0; --k) {
    x[k] = minus_dot(x[k] * inverse_[k], m - k - 1, upper + k * m + k + 1, x + k + 1);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, DenseLdl);

}  // namespace cotangent
