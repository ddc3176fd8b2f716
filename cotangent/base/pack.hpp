#pragma once

#ifndef __AVX2__
#error "numbers in lanes need -march=x86-64-v3; cotangent/cotangent.hpp does not"
#endif

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace cotangent {

/// Doubles in a native vector of C++ code: the library is compiled for x86-64-v3, whatever machine compiles it. Kernels
/// are compiled for the machine that runs them, see native_width() in kernel/functions.hpp.
inline constexpr int kSimdWidth = 4;

/// Kernels read and write packs with vectors of up to this many bytes.
inline constexpr std::size_t kVectorBytes = 64;

namespace detail {

template <int W>
struct Native {
  typedef double Vector __attribute__((vector_size(W * sizeof(double))));
  typedef long long Mask __attribute__((vector_size(W * sizeof(double))));  // lanes are 0 or -1
};

using Vector = Native<kSimdWidth>::Vector;
using VectorMask = Native<kSimdWidth>::Mask;

// See fma in scalar.hpp.
[[gnu::always_inline]] inline Vector fma(Vector a, Vector b, Vector c) {
#ifdef __FMA__
  return _mm256_fmadd_pd(a, b, c);
#else
  asm("vfmadd213pd %2, %1, %0" : "+x"(a) : "x"(b), "xm"(c));
  return a;
#endif
}

/// One bit for each lane.
inline int bits(VectorMask m) { return _mm256_movemask_pd(reinterpret_cast<__m256d>(m)); }

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

template <>
class PackMask<kSimdWidth> {
 public:
  using Native = detail::VectorMask;

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

  friend bool any(const PackMask& a) { return detail::bits(a.v_) != 0; }
  friend bool all(const PackMask& a) { return detail::bits(a.v_) == (1 << kSimdWidth) - 1; }

 private:
  Native v_;
};

/// W doubles that go through the same arithmetic side by side: exactly W contiguous doubles, aligned as kernels read
/// them. Halved recursively down to a native vector, because GCC keeps structures of native vectors
/// in registers but spills arrays and over-long vectors.
///
/// Every operation rounds each lane exactly as the scalar operation does. All functions are found by
/// argument-dependent lookup and take `double` in place of a pack where one argument is a pack.
template <int W>
class alignas(kVectorBytes) Pack {
  static_assert(W > kSimdWidth && (W & (W - 1)) == 0, "the number of lanes is a power of two");
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
  friend Pack floor(const Pack& a) { return {floor(a.lo_), floor(a.hi_)}; }
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

template <>
class Pack<kSimdWidth> {
  using Mask = PackMask<kSimdWidth>;

 public:
  using Native = detail::Vector;

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

  friend Pack fma(const Pack& a, const Pack& b, const Pack& c) { return Pack(detail::fma(a.v_, b.v_, c.v_)); }
  friend Pack sqrt(const Pack& a) { return Pack(_mm256_sqrt_pd(a.v_)); }
  friend Pack floor(const Pack& a) { return Pack(_mm256_floor_pd(a.v_)); }
  friend Pack abs(const Pack& a) {
    using Bits = Mask::Native;
    const Bits magnitude = Bits{} + std::numeric_limits<long long>::max();  // all bits but the sign
    return Pack(reinterpret_cast<Native>(reinterpret_cast<Bits>(a.v_) & magnitude));
  }
  // (b < a) ? b : a and (a < b) ? b : a: what one instruction computes, NaN and signed zeros included.
  friend Pack min(const Pack& a, const Pack& b) { return Pack(_mm256_min_pd(b.v_, a.v_)); }
  friend Pack max(const Pack& a, const Pack& b) { return Pack(_mm256_max_pd(b.v_, a.v_)); }
  friend Pack select(const Mask& m, const Pack& a, const Pack& b) { return Pack(m.native() ? a.v_ : b.v_); }
  friend Mask isfinite(const Pack& a) { return abs(a) <= std::numeric_limits<double>::max(); }
  friend double max_over_lanes(const Pack& a) {
    double m = a[0];
    for (int i = 1; i < kSimdWidth; ++i) m = m < a[i] ? a[i] : m;
    return m;
  }
  friend double min_over_lanes(const Pack& a) {
    double m = a[0];
    for (int i = 1; i < kSimdWidth; ++i) m = a[i] < m ? a[i] : m;
    return m;
  }

 private:
  Native v_;
};

}  // namespace cotangent
