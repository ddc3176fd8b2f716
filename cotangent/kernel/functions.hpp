#pragma once

#include <cstdint>
#include <string_view>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// The elementary functions that are calls, not instructions.
enum class Function : std::uint8_t {
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  erf,
  erfc,
  pow,
  atan2,
};

constexpr int arity(Function f) { return f >= Function::pow ? 2 : 1; }
std::string_view name(Function f);

/// f(x), or f(x, y) for a function of two variables, for T = double, Quad and Lanes.
///
/// double and Lanes: SLEEF's deterministic functions (1 ulp; 1.5 ulp for erfc), of which a scalar and a vector version
/// exist that give the same bits; the width of the vector version is decided once by the CPU. Quad: libquadmath.
template <class T>
T apply(Function f, const T& x, const T& y);

/// The same for n doubles side by side; result may be x or y. For a function of one variable y may be x.
void apply(Function f, const double* x, const double* y, double* result, int n);

/// Doubles in the widest vector register of the CPU that runs this (kSimdWidth is about C++ code).
int native_width();

/// The code behind apply() for compiled kernels: a C function of one or two doubles (width 1) or of one or
/// two vectors of native_width() doubles in vector registers. @pre width is 1 or native_width().
const void* address(Function f, int width);

}  // namespace cotangent
