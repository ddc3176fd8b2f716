#pragma once

#include <concepts>
#include <cstring>
#include <type_traits>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A number with its derivatives along K directions: x + sum_k d_k e_k with e_k e_l = 0. Code that is a template over
/// its number type computes, over Dual, tangents of whatever it computes over T; through factorisations and Newton's
/// method too, whose last iteration is made once more for the tangents (RoundingStop). Functional iterations look at
/// the tangents themselves (magnitude).
///
/// Numbers are ordered by their values, but equal only if their derivatives are equal too: what was computed for one
/// may then be used for the other.
template <class T, int K>
struct alignas(detail::Vector) Dual {
  static_assert(std::is_same_v<T, double> && K < kSimdWidth, "a dual number fills one vector register");
  static constexpr int kTangents = K;

  /// Numbers from one dual number of an array to the next: an operation takes a few instructions, whatever K is. The
  /// numbers beyond the tangents mean nothing.
  static constexpr int kSize = kSimdWidth;

  constexpr Dual() : value(0), d{} {}
  template <class U>
  requires std::convertible_to<U, T>
  constexpr Dual(const U& x) : value(static_cast<T>(x)), d{} {
    // Numbers that are written one by one and read as one vector wait for memory.
    if (!std::is_constant_evaluated()) *this = Dual(Four{static_cast<double>(x)});
  }
  template <class U>
  requires std::convertible_to<T, U>
  explicit constexpr operator U() const { return static_cast<U>(value); }

  T value;
  T d[kSize - 1];

  friend Dual operator-(const Dual& a) { return Dual(-a.packed()); }
  friend Dual operator+(const Dual& a, const Dual& b) { return Dual(a.packed() + b.packed()); }
  friend Dual operator-(const Dual& a, const Dual& b) { return Dual(a.packed() - b.packed()); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    const Four x = a.packed(), y = b.packed(), x_dy = first(x) * y;
    return Dual(with_first(x_dy, x * first(y) + x_dy));
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    // Two quotients in one instruction: the ratio of the values, and 1 / b.
    using Two = detail::Native<2>::Vector;
    const Four x = a.packed(), y = b.packed();
    const Two quotients = Two{x[0], 1} / Two{y[0], y[0]};
    const Four ratio = all_four(quotients[0]);
    return Dual(with_first(ratio, detail::fma(-ratio, y, x) * all_four(quotients[1])));
  }
  friend Dual fma(const Dual& a, const Dual& b, const Dual& c) {
    const Four x = a.packed(), y = b.packed(), x_dy = detail::fma(first(x), y, c.packed());
    return Dual(with_first(x_dy, detail::fma(x, first(y), x_dy)));
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) {
    bool same = a.value == b.value;
    for (int k = 0; k < K; ++k) same = same && a.d[k] == b.d[k];
    return same;
  }

  friend Dual abs(const Dual& a) {
    const Four x = a.packed();
    return Dual(first(x) < 0 ? -x : x);
  }
  friend Dual max(const Dual& a, const Dual& b) {
    const Four x = a.packed(), y = b.packed();
    return Dual(first(x) < first(y) ? y : x);
  }
  friend Dual min(const Dual& a, const Dual& b) {
    const Four x = a.packed(), y = b.packed();
    return Dual(first(y) < first(x) ? y : x);
  }
  /// The larger of a and |b|, part by part.
  friend Dual larger_parts(const Dual& a, const Dual& b) {
    const Four x = a.packed(), y = b.packed(), size = y < 0 ? -y : y;
    return Dual(x < size ? size : x);
  }
  friend bool isfinite(const Dual& a) {
    const Four x = a.packed();
    const int numbers = (1 << (K + 1)) - 1;
    return (detail::bits(x - x == Four{}) & numbers) == numbers;
  }
  friend Dual select(bool m, const Dual& a, const Dual& b) {
    return Dual((detail::VectorMask{} - static_cast<long long>(m)) ? a.packed() : b.packed());
  }

  template <class F>
  static Dual map(const T& value, const F& tangent) {
    Four numbers{value};
    for (int k = 0; k < K; ++k) numbers[k + 1] = tangent(k);
    return Dual(numbers);
  }

 private:
  using Four = detail::Vector;

  explicit Dual(const Four& numbers) { std::memcpy(static_cast<void*>(this), &numbers, sizeof(Four)); }
  Four packed() const {
    Four numbers;
    std::memcpy(&numbers, this, sizeof(Four));
    return numbers;
  }
  static Four all_four(double x) { return Four{x, x, x, x}; }
  static Four first(const Four& x) { return all_four(x[0]); }
  static Four with_first(const Four& x, const Four& others) { return detail::VectorMask{-1, 0, 0, 0} ? x : others; }
};

namespace detail {

template <class T, int K>
struct LaneTraits<Dual<T, K>> {
  using Mask = bool;
  using Lane = T;
  static constexpr int count = 1;
};

}  // namespace detail

template <class T, int K>
Dual<T, K> sqrt(const Dual<T, K>& a) {
  const T root = sqrt(a.value);
  // A root of zero that does not move has no slope, not one that is no number.
  return Dual<T, K>::map(root, [&](int k) { return a.d[k] == T(0) ? T(0) : a.d[k] / (T(2) * root); });
}

/// The largest of |value| and all |d_k|.
template <class T, int K>
Dual<T, K> magnitude(const Dual<T, K>& a) {
  T largest = abs(a.value);
  for (int k = 0; k < K; ++k) largest = max(largest, abs(a.d[k]));
  return Dual<T, K>(largest);
}

/// Two tangents, as the wedge product needs them.
using Tangents = Dual<double, 2>;

template <class T>
inline constexpr bool is_dual = false;
template <class T, int K>
inline constexpr bool is_dual<Dual<T, K>> = true;

/// The number without its derivatives.
template <class T>
T value_of(const T& x) {
  if constexpr (is_dual<T>) {
    return T(x.value);
  } else {
    return x;
  }
}

}  // namespace cotangent
