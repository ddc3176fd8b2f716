#pragma once

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cotangent/base/pack.hpp"
#include "cotangent/base/quad.hpp"

/// The value types that numerical code is templated on, and the functions it may call on them.
///
///   T             one value is                                      Mask<T>
///   double        a number                                          bool
///   Quad          a number, 113-bit significand                     bool
///   Lanes         kLanes doubles, one per trajectory of a batch     PackMask<kLanes>
///   Tangents      a double with two derivatives, see dual.hpp       bool
///   Traced        a double that is being recorded, see traced.hpp   TracedMask
///
/// Code that calls only these functions, and writes every fused multiply-add as fma(), gives in each lane of a Lanes
/// run bit for bit what it gives in double, provided that the compiler fuses nothing by itself. Two flags see to that:
/// -ffp-contract=off, and -mno-fma, because the vectoriser of g++ 12 fuses neighbours of the form a b + c, a b - c all
/// the same (vfmaddsub). tests/base/pack_test.cpp fails without either flag.
///
/// Without the instruction in the compiler's hands fma() names it. Loops that are made of it are the layer solve, which
/// is compiled with -mfma: there the compiler chooses among its forms, and makes vectors of it. The bits are the same,
/// and a test reads the instructions of that layer for fused ones that nobody wrote.

namespace cotangent {

/// Eight native vectors: independent enough to hide the latency of an fma, few enough to stay in registers.
inline constexpr int kLanes = 8 * kSimdWidth;
using Lanes = Pack<kLanes>;

// The std:: functions themselves, so that a using-directive makes no call ambiguous.
using std::abs;
using std::floor;
using std::isfinite;
using std::max;
using std::min;
using std::sqrt;

[[gnu::always_inline]] inline double fma(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  asm("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "xm"(c));
  return a;
#endif
}
inline Quad fma(Quad a, Quad b, Quad c) { return fmaq(a, b, c); }
inline Quad sqrt(Quad a) { return sqrtq(a); }
inline Quad floor(Quad a) { return floorq(a); }
inline bool isfinite(Quad a) { return finiteq(a) != 0; }
#if defined(__STRICT_ANSI__)  // in GNU modes std::abs takes a Quad
inline Quad abs(Quad a) { return fabsq(a); }
#endif

inline double select(bool m, double a, double b) { return m ? a : b; }
inline Quad select(bool m, Quad a, Quad b) { return m ? a : b; }

inline bool any(bool m) { return m; }
inline bool all(bool m) { return m; }

namespace detail {

template <class T>
struct LaneTraits {
  using Mask = bool;
  using Lane = T;
  static constexpr int count = 1;
};

template <int W>
struct LaneTraits<Pack<W>> {
  using Mask = PackMask<W>;
  using Lane = double;
  static constexpr int count = W;
};

}  // namespace detail

/// The result of comparing two T: any(), all() and select() take it.
template <class T>
using Mask = typename detail::LaneTraits<T>::Mask;

/// The number type of one lane: double for a pack, T itself for a number.
template <class T>
using LaneOf = typename detail::LaneTraits<T>::Lane;

template <class T>
inline constexpr int lane_count = detail::LaneTraits<T>::count;

/// Distance from 1 to the next larger number of one lane.
template <class T>
constexpr LaneOf<T> epsilon() {
  if constexpr (std::is_same_v<LaneOf<T>, Quad>) {
    return static_cast<Quad>(0x1p-112);
  } else {
    return std::numeric_limits<LaneOf<T>>::epsilon();
  }
}

template <class T>
constexpr LaneOf<T> infinity() {
  return static_cast<LaneOf<T>>(std::numeric_limits<double>::infinity());
}

/// Lane i of x; a number is its own lane 0.
template <class T>
LaneOf<T> lane(const T& x, int i) {
  if constexpr (lane_count<T> == 1) {
    return static_cast<LaneOf<T>>(x);
  } else {
    return x[i];
  }
}

/// Lane i of a mask; a bool is the same in every lane.
inline bool lane(bool m, int) { return m; }
template <int W>
bool lane(const PackMask<W>& m, int i) {
  return m[i];
}

/// How large a number is with its derivatives, if it has any: |a|, but see dual.hpp.
template <class T>
T magnitude(const T& a) {
  return abs(a);
}

/// The larger of a and |b|, part by part where numbers have derivatives: magnitude() of the last one is the largest.
template <class T>
T larger_parts(const T& a, const T& b) {
  return max(a, abs(b));
}

/// The largest and the smallest lane of x; a number is its own.
template <class T>
LaneOf<T> max_over_lanes(const T& x) {
  return static_cast<LaneOf<T>>(x);
}
template <class T>
LaneOf<T> min_over_lanes(const T& x) {
  return static_cast<LaneOf<T>>(x);
}

}  // namespace cotangent
