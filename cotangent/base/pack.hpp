#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace cotangent {

/// Doubles in the widest vector register of the target.
#if defined(__AVX512F__)
inline constexpr int kSimdWidth = 8;
#elif defined(__AVX__)
inline constexpr int kSimdWidth = 4;
#else
inline constexpr int kSimdWidth = 2;
#endif

namespace detail {

template <int W>
struct Native {
  typedef double Vector __attribute__((vector_size(W * sizeof(double))));
  typedef long long Mask __attribute__((vector_size(W * sizeof(double))));  // lanes are 0 or -1
};

template <int W>
constexpr bool is_native = W == 2 || (W == 4 && kSimdWidth >= 4) || (W == 8 && kSimdWidth >= 8);

// The unmasked 512-bit sqrt, min and max of GCC 12 read an uninitialised variable (GCC bug 105593): the
// masked forms with every lane chosen compile to the same instruction without the warning.
[[maybe_unused]] inline constexpr unsigned char kAllLanes = 0xFF;

// The operations below have no GCC vector syntax. The loops after the intrinsics serve other targets.

template <int W, class V = typename Native<W>::Vector>
inline V native_fma(V a, V b, V c) {
#if defined(__FMA__)
  if constexpr (W == 2) return _mm_fmadd_pd(a, b, c);
  if constexpr (W == 4) return _mm256_fmadd_pd(a, b, c);
#if defined(__AVX512F__)
  if constexpr (W == 8) return _mm512_fmadd_pd(a, b, c);
#endif
#endif
  V r{};
  for (int i = 0; i < W; ++i) r[i] = std::fma(a[i], b[i], c[i]);
  return r;
}

template <int W, class V = typename Native<W>::Vector>
inline V native_sqrt(V a) {
#if defined(__SSE2__)
  if constexpr (W == 2) return _mm_sqrt_pd(a);
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return _mm256_sqrt_pd(a);
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) return _mm512_maskz_sqrt_pd(kAllLanes, a);
#endif
  V r{};
  for (int i = 0; i < W; ++i) r[i] = std::sqrt(a[i]);
  return r;
}

// (b < a) ? b : a, which is what one min instruction computes, NaN and signed zeros included.
template <int W, class V = typename Native<W>::Vector>
inline V native_min(V a, V b) {
#if defined(__SSE2__)
  if constexpr (W == 2) return _mm_min_pd(b, a);
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return _mm256_min_pd(b, a);
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) return _mm512_maskz_min_pd(kAllLanes, b, a);
#endif
  return b < a ? b : a;
}

// (a < b) ? b : a.
template <int W, class V = typename Native<W>::Vector>
inline V native_max(V a, V b) {
#if defined(__SSE2__)
  if constexpr (W == 2) return _mm_max_pd(b, a);
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return _mm256_max_pd(b, a);
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) return _mm512_maskz_max_pd(kAllLanes, b, a);
#endif
  return a < b ? b : a;
}

// One bit per lane.
template <int W, class M = typename Native<W>::Mask>
inline unsigned native_bits(M m) {
#if defined(__SSE2__)
  if constexpr (W == 2) return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(m)));
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(m)));
#endif
#if defined(__AVX512F__)
  if constexpr (W == 8) {
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(m), reinterpret_cast<__m512i>(m));
  }
#endif
  unsigned bits = 0;
  for (int i = 0; i < W; ++i) bits |= static_cast<unsigned>(m[i] & 1) << i;
  return bits;
}

}  // namespace detail

/// W truth values, one per lane of a Pack<W>. `bool` converts to all lanes alike.
template <int W>
class PackMask {
 public:
  PackMask() = default;
  PackMask(bool b) : lo_(b), hi_(b) {}  // NOLINT(google-explicit-constructor)
  PackMask(const PackMask<W / 2>& lo, const PackMask<W / 2>& hi) : lo_(lo), hi_(hi) {}

  const PackMask<W / 2>& lo() const { return lo_; }
  const PackMask<W / 2>& hi() const { return hi_; }

  bool operator[](int i) const { return i < W / 2 ? lo_[i] : hi_[i - W / 2]; }
  void set(int i, bool b) { i < W / 2 ? lo_.set(i, b) : hi_.set(i - W / 2, b); }

  friend PackMask operator&(const PackMask& a, const PackMask& b) { return {a.lo_ & b.lo_, a.hi_ & b.hi_}; }
  friend PackMask operator|(const PackMask& a, const PackMask& b) { return {a.lo_ | b.lo_, a.hi_ | b.hi_}; }
  friend PackMask operator!(const PackMask& a) { return {!a.lo_, !a.hi_}; }
  PackMask& operator&=(const PackMask& b) { return *this = *this & b; }
  PackMask& operator|=(const PackMask& b) { return *this = *this | b; }

  friend bool any(const PackMask& a) { return any(a.lo_ | a.hi_); }
  friend bool all(const PackMask& a) { return all(a.lo_ & a.hi_); }

 private:
  PackMask<W / 2> lo_, hi_;
};

template <int W>
requires detail::is_native<W>
class PackMask<W> {
 public:
  using Native = typename detail::Native<W>::Mask;

  PackMask() = default;
  PackMask(bool b) : v_(Native{} - static_cast<long long>(b)) {}  // NOLINT(google-explicit-constructor)
  explicit PackMask(Native v) : v_(v) {}

  Native native() const { return v_; }

  bool operator[](int i) const { return v_[i] != 0; }
  void set(int i, bool b) { v_[i] = -static_cast<long long>(b); }

  friend PackMask operator&(const PackMask& a, const PackMask& b) { return PackMask(a.v_ & b.v_); }
  friend PackMask operator|(const PackMask& a, const PackMask& b) { return PackMask(a.v_ | b.v_); }
  friend PackMask operator!(const PackMask& a) { return PackMask(~a.v_); }
  PackMask& operator&=(const PackMask& b) { return *this = *this & b; }
  PackMask& operator|=(const PackMask& b) { return *this = *this | b; }

  friend bool any(const PackMask& a) { return detail::native_bits<W>(a.v_) != 0; }
  friend bool all(const PackMask& a) { return detail::native_bits<W>(a.v_) == (1u << W) - 1; }

 private:
  Native v_;
};

/// W doubles that go through the same arithmetic side by side: exactly W contiguous doubles, aligned to the
/// native vector. Halved recursively down to a native vector, because GCC keeps structures of native vectors
/// in registers but spills arrays and over-long vectors.
///
/// Every operation rounds each lane exactly as the scalar operation does. All functions are found by
/// argument-dependent lookup and take `double` in place of a pack where one argument is a pack.
template <int W>
class Pack {
  static_assert(W >= 2 && (W & (W - 1)) == 0, "the number of lanes is a power of two");
  using Half = Pack<W / 2>;
  using Mask = PackMask<W>;

 public:
  Pack() = default;
  Pack(double x) : lo_(x), hi_(x) {}  // NOLINT(google-explicit-constructor)
  Pack(const Half& lo, const Half& hi) : lo_(lo), hi_(hi) {}

  /// Reads / writes W doubles at any address.
  static Pack load(const double* p) { return {Half::load(p), Half::load(p + W / 2)}; }
  void store(double* p) const { lo_.store(p), hi_.store(p + W / 2); }

  // GCC gives a vector the alias set of its elements.
  double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }
  double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }

  friend Pack operator+(const Pack& a, const Pack& b) { return {a.lo_ + b.lo_, a.hi_ + b.hi_}; }
  friend Pack operator-(const Pack& a, const Pack& b) { return {a.lo_ - b.lo_, a.hi_ - b.hi_}; }
  friend Pack operator*(const Pack& a, const Pack& b) { return {a.lo_ * b.lo_, a.hi_ * b.hi_}; }
  friend Pack operator/(const Pack& a, const Pack& b) { return {a.lo_ / b.lo_, a.hi_ / b.hi_}; }
  friend Pack operator-(const Pack& a) { return {-a.lo_, -a.hi_}; }
  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }
  Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend Mask operator<(const Pack& a, const Pack& b) { return {a.lo_ < b.lo_, a.hi_ < b.hi_}; }
  friend Mask operator<=(const Pack& a, const Pack& b) { return {a.lo_ <= b.lo_, a.hi_ <= b.hi_}; }
  friend Mask operator>(const Pack& a, const Pack& b) { return b < a; }
  friend Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend Mask operator==(const Pack& a, const Pack& b) { return {a.lo_ == b.lo_, a.hi_ == b.hi_}; }
  friend Mask operator!=(const Pack& a, const Pack& b) { return !(a == b); }

  friend Pack fma(const Pack& a, const Pack& b, const Pack& c) {
    return {fma(a.lo_, b.lo_, c.lo_), fma(a.hi_, b.hi_, c.hi_)};
  }
  friend Pack sqrt(const Pack& a) { return {sqrt(a.lo_), sqrt(a.hi_)}; }
  friend Pack abs(const Pack& a) { return {abs(a.lo_), abs(a.hi_)}; }
  friend Pack min(const Pack& a, const Pack& b) { return {min(a.lo_, b.lo_), min(a.hi_, b.hi_)}; }
  friend Pack max(const Pack& a, const Pack& b) { return {max(a.lo_, b.lo_), max(a.hi_, b.hi_)}; }
  friend Pack select(const Mask& m, const Pack& a, const Pack& b) {
    return {select(m.lo(), a.lo_, b.lo_), select(m.hi(), a.hi_, b.hi_)};
  }
  friend Mask isfinite(const Pack& a) { return {isfinite(a.lo_), isfinite(a.hi_)}; }
  friend double max_over_lanes(const Pack& a) { return max_over_lanes(max(a.lo_, a.hi_)); }
  friend double min_over_lanes(const Pack& a) { return min_over_lanes(min(a.lo_, a.hi_)); }

 private:
  Half lo_, hi_;
};

template <int W>
requires detail::is_native<W>
class Pack<W> {
  using Mask = PackMask<W>;

 public:
  using Native = typename detail::Native<W>::Vector;

  Pack() = default;
  Pack(double x) : v_(x - Native{}) {}  // NOLINT(google-explicit-constructor): x - 0 is x, also for x = -0
  explicit Pack(Native v) : v_(v) {}

  Native native() const { return v_; }

  static Pack load(const double* p) {
    Native v;
    std::memcpy(&v, p, sizeof v);
    return Pack(v);
  }
  void store(double* p) const { std::memcpy(p, &v_, sizeof v_); }

  double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }
  double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }

  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v_ + b.v_); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v_ - b.v_); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v_ * b.v_); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v_ / b.v_); }
  friend Pack operator-(const Pack& a) { return Pack(-a.v_); }
  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }
  Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend Mask operator<(const Pack& a, const Pack& b) { return Mask(a.v_ < b.v_); }
  friend Mask operator<=(const Pack& a, const Pack& b) { return Mask(a.v_ <= b.v_); }
  friend Mask operator>(const Pack& a, const Pack& b) { return Mask(a.v_ > b.v_); }
  friend Mask operator>=(const Pack& a, const Pack& b) { return Mask(a.v_ >= b.v_); }
  friend Mask operator==(const Pack& a, const Pack& b) { return Mask(a.v_ == b.v_); }
  friend Mask operator!=(const Pack& a, const Pack& b) { return Mask(a.v_ != b.v_); }

  friend Pack fma(const Pack& a, const Pack& b, const Pack& c) { return Pack(detail::native_fma<W>(a.v_, b.v_, c.v_)); }
  friend Pack sqrt(const Pack& a) { return Pack(detail::native_sqrt<W>(a.v_)); }
  friend Pack abs(const Pack& a) {
    using Bits = typename Mask::Native;
    const Bits magnitude = Bits{} + std::numeric_limits<long long>::max();  // all bits but the sign
    return Pack(reinterpret_cast<Native>(reinterpret_cast<Bits>(a.v_) & magnitude));
  }
  friend Pack min(const Pack& a, const Pack& b) { return Pack(detail::native_min<W>(a.v_, b.v_)); }
  friend Pack max(const Pack& a, const Pack& b) { return Pack(detail::native_max<W>(a.v_, b.v_)); }
  friend Pack select(const Mask& m, const Pack& a, const Pack& b) { return Pack(m.native() ? a.v_ : b.v_); }
  friend Mask isfinite(const Pack& a) { return abs(a) <= std::numeric_limits<double>::max(); }
  friend double max_over_lanes(const Pack& a) {
    double m = a[0];
    for (int i = 1; i < W; ++i) m = m < a[i] ? a[i] : m;
    return m;
  }
  friend double min_over_lanes(const Pack& a) {
    double m = a[0];
    for (int i = 1; i < W; ++i) m = a[i] < m ? a[i] : m;
    return m;
  }

 private:
  Native v_;
};

}  // namespace cotangent
