#include "cotangent/solve/direct/chain_ldl.hpp"

#include <type_traits>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/solve/direct/pivot.hpp"

namespace cotangent {
namespace {

constexpr int kBlock = 4;

/// Elimination of rows i, i + kStep, i + 2 kStep, ... of the chain; `inverse` always belongs to the last row
/// done. Coupling `in(i)` joins row i to the one before it in this direction, `out(i)` to the one after.
template <class T, int kStep, bool kSymmetric>
struct Elimination {
  // Running maxima of four rows of a block at once where rows are numbers.
  using Growth = std::conditional_t<std::is_same_v<T, double>, Pack<kBlock>, T>;

  const T* diagonal;
  const T* forward_in;   // A(next row, row)
  const T* backward_in;  // A(row, next row)
  T* inverse_out;
  T* forward_out;
  T* backward_out;
  T inverse{};
  T growth = T(0);
  Growth block_growth = Growth(0.0);

  static int out(int i) { return kStep > 0 ? i : i - 1; }
  static int in(int i) { return out(i - kStep); }

  /// e = l u.
  T product(int coupling) const { return forward_in[coupling] * backward_in[coupling]; }

  void store(int i, const T& inverse_pivot) {
    inverse_out[i] = inverse_pivot;
    forward_out[out(i)] = forward_in[out(i)] * inverse_pivot;
    if (!kSymmetric) backward_out[out(i)] = backward_in[out(i)] * inverse_pivot;
  }

  void first(int i) {
    inverse = T(1) / diagonal[i];
    growth = pivot_growth(diagonal[i], inverse);
    store(i, inverse);
  }

  void row(int i) {
    inverse = T(1) / fma(-product(in(i)), inverse, diagonal[i]);
    growth = max(growth, pivot_growth(diagonal[i], inverse));
    store(i, inverse);
  }

  /// Rows i, ..., i + 3 kStep.
  void block(int i) {
    const int i2 = i + kStep, i3 = i + 2 * kStep, i4 = i + 3 * kStep;
    const T p1 = fma(-product(in(i)), inverse, diagonal[i]);
    const T p2 = fma(diagonal[i2], p1, -product(in(i2)));
    const T p3 = fma(diagonal[i3], p2, -(product(in(i3)) * p1));
    const T p4 = fma(diagonal[i4], p3, -(product(in(i4)) * p2));
    inverse = p3 / p4;

    if constexpr (!std::is_same_v<Growth, T>) {
      using Four = Pack<kBlock>;
      using Native = typename Four::Native;
      const int low = kStep > 0 ? i : i4, coupling = kStep > 0 ? i : out(i4);
      const Four p(kStep > 0 ? Native{p1, p2, p3, p4} : Native{p4, p3, p2, p1});
      const Four p_before(kStep > 0 ? Native{1, p1, p2, p3} : Native{p3, p2, p1, 1});
      const Four inverses = p_before / p;
      inverses.store(inverse_out + low);
      (Four::load(forward_in + coupling) * inverses).store(forward_out + coupling);
      if (!kSymmetric) (Four::load(backward_in + coupling) * inverses).store(backward_out + coupling);
      block_growth = max(block_growth, pivot_growth(Four::load(diagonal + low), inverses));
    } else {
      const T inverses[kBlock] = {T(1) / p1, p1 / p2, p2 / p3, inverse};
      for (int k = 0; k < kBlock; ++k) {
        store(i + k * kStep, inverses[k]);
        growth = max(growth, pivot_growth(diagonal[i + k * kStep], inverses[k]));
      }
    }
  }

  T total_growth() const {
    if constexpr (!std::is_same_v<Growth, T>) return max(growth, max_over_lanes(block_growth));
    return growth;
  }
};

}  // namespace

template <class T>
ChainLdl<T>::ChainLdl(ChainOrder order)
    : size_(static_cast<int>(order.row.size())),
      natural_(order.is_natural()),
      order_(std::move(order)),
      inverse_(size_),
      forward_(size_),
      backward_(size_) {
  if (natural_) {
    order_ = {};
  } else {
    diagonal_.resize(size_), lower_.resize(size_), upper_.resize(size_), x_.resize(size_);
  }
}

template <class T>
T ChainLdl<T>::factor(const T* diagonal, const T* lower) {
  symmetric_ = true;
  if (natural_) return eliminate<true>(diagonal, lower, lower);
  for (int k = 0; k < size_; ++k) diagonal_[k] = diagonal[order_.row[k]];
  for (int k = 0; k + 1 < size_; ++k) lower_[k] = order_.entry[k] < 0 ? T(0) : lower[order_.entry[k]];
  return eliminate<true>(diagonal_.data(), lower_.data(), lower_.data());
}

template <class T>
T ChainLdl<T>::factor(const T* diagonal, const T* lower, const T* upper) {
  symmetric_ = false;
  if (natural_) return eliminate<false>(diagonal, lower, upper);
  for (int k = 0; k < size_; ++k) diagonal_[k] = diagonal[order_.row[k]];
  for (int k = 0; k + 1 < size_; ++k) {
    const int e = order_.entry[k];
    // Where the chain runs against the caller's numbering, its lower entry is the caller's upper one.
    const bool ascending = order_.row[k] < order_.row[k + 1];
    lower_[k] = e < 0 ? T(0) : ascending ? lower[e] : upper[e];
    upper_[k] = e < 0 ? T(0) : ascending ? upper[e] : lower[e];
  }
  return eliminate<false>(diagonal_.data(), lower_.data(), upper_.data());
}

template <class T>
template <bool kSymmetric>
T ChainLdl<T>::eliminate(const T* diagonal, const T* lower, const T* upper) {
  // Numbers of rows on either side of the middle one, which is row `above`.
  const int last = size_ - 1, above = size_ / 2, below = (size_ - 1) / 2;
  T* const inverse = inverse_.data();
  T* const f = forward_.data();
  T* const g = backward_.data();
  Elimination<T, +1, kSymmetric> down{diagonal, lower, upper, inverse, f, g};
  Elimination<T, -1, kSymmetric> up{diagonal, upper, lower, inverse, f, g};

  down.first(0);
  if (below > 0) up.first(last);
  int k = 1;
  for (; k + kBlock <= below; k += kBlock) {
    down.block(k);
    up.block(last - k);
  }
  for (; k < below; ++k) {
    down.row(k);
    up.row(last - k);
  }
  if (k < above) down.row(k);

  // The middle row is coupled to both chains.
  T pivot = fma(-down.product(above - 1), down.inverse, diagonal[above]);
  if (below > 0) pivot = fma(-up.product(above), up.inverse, pivot);
  inverse[above] = T(1) / pivot;
  return max(max(down.total_growth(), up.total_growth()), pivot_growth(diagonal[above], inverse[above]));
}

template <class T>
void ChainLdl<T>::solve(T* x) const {
  if (natural_) return substitute(x);
  for (int k = 0; k < size_; ++k) x_[k] = x[order_.row[k]];
  substitute(x_.data());
  for (int k = 0; k < size_; ++k) x[order_.row[k]] = x_[k];
}

template <class T>
void ChainLdl<T>::substitute(T* __restrict x) const {
  const int last = size_ - 1, above = size_ / 2, below = (size_ - 1) / 2;
  const T* const inverse = inverse_.data();
  const T* const f = forward_.data();
  const T* const g = symmetric_ ? f : backward_.data();

  // Forward: z_i = b_i - f z, from the ends to the middle.
  T z = x[0], w = x[last];
  int k = 1;
  for (; k + 2 <= below; k += 2) {
    const int j = last - k;
    const T z1 = fma(-f[k - 1], z, x[k]);
    const T w1 = fma(-f[j], w, x[j]);
    z = fma(f[k] * f[k - 1], z, fma(-f[k], x[k], x[k + 1]));
    w = fma(f[j - 1] * f[j], w, fma(-f[j - 1], x[j], x[j - 1]));
    x[k] = z1, x[k + 1] = z;
    x[j] = w1, x[j - 1] = w;
  }
  for (; k < below; ++k) {
    x[k] = z = fma(-f[k - 1], z, x[k]);
    x[last - k] = w = fma(-f[last - k], w, x[last - k]);
  }
  if (k < above) x[k] = z = fma(-f[k - 1], z, x[k]);

  T middle = fma(-f[above - 1], z, x[above]);
  if (below > 0) middle = fma(-f[above], w, middle);
  x[above] = middle * inverse[above];

  // Backward: x_i = z_i / d_i - g x, from the middle to the ends.
  z = w = x[above];
  k = above - 1;
  if (above > below) x[k] = z = fma(-g[k], z, x[k] * inverse[k]), --k;
  for (; k >= 1; k -= 2) {
    const int j = last - k;
    const T b0 = x[k] * inverse[k], b1 = x[k - 1] * inverse[k - 1];
    const T c0 = x[j] * inverse[j], c1 = x[j + 1] * inverse[j + 1];
    const T z1 = fma(-g[k], z, b0);
    const T w1 = fma(-g[j - 1], w, c0);
    z = fma(g[k - 1] * g[k], z, fma(-g[k - 1], b0, b1));
    w = fma(g[j] * g[j - 1], w, fma(-g[j], c0, c1));
    x[k] = z1, x[k - 1] = z;
    x[j] = w1, x[j + 1] = w;
  }
  for (; k >= 0; --k) {
    const int j = last - k;
    x[k] = z = fma(-g[k], z, x[k] * inverse[k]);
    x[j] = w = fma(-g[j - 1], w, x[j] * inverse[j]);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, ChainLdl);

}  // namespace cotangent
