#include "cotangent/kernel/functions.hpp"

#include <immintrin.h>
#include <quadmath.h>

#include <array>
#include <cmath>
#include <cstring>

#include "cotangent/base/check.hpp"

// Declared here because sleef.h shows a vector function only to code compiled for its instruction set, and we
// choose at run time. SLEEF computes finz_ functions with fused multiply-adds, cinz_ functions without;
// within a family every width gives the same bits.
#define COTANGENT_UNARY(X) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(exp) X(log)
#define COTANGENT_BINARY(X) X(pow) X(atan2)

extern "C" {
#define COTANGENT_DECLARE(f)                      \
  double Sleef_finz_##f##d1_u10purecfma(double);  \
  __m256d Sleef_finz_##f##d4_u10avx2(__m256d);    \
  __m512d Sleef_finz_##f##d8_u10avx512f(__m512d); \
  double Sleef_cinz_##f##d1_u10purec(double);     \
  __m128d Sleef_cinz_##f##d2_u10sse2(__m128d);    \
  __m256d Sleef_cinz_##f##d4_u10avx(__m256d);
COTANGENT_UNARY(COTANGENT_DECLARE)
#undef COTANGENT_DECLARE
#define COTANGENT_DECLARE(f)                               \
  double Sleef_finz_##f##d1_u10purecfma(double, double);   \
  __m256d Sleef_finz_##f##d4_u10avx2(__m256d, __m256d);    \
  __m512d Sleef_finz_##f##d8_u10avx512f(__m512d, __m512d); \
  double Sleef_cinz_##f##d1_u10purec(double, double);      \
  __m128d Sleef_cinz_##f##d2_u10sse2(__m128d, __m128d);    \
  __m256d Sleef_cinz_##f##d4_u10avx(__m256d, __m256d);
COTANGENT_BINARY(COTANGENT_DECLARE)
#undef COTANGENT_DECLARE
}

namespace cotangent {
namespace {

using Addresses = std::array<const void*, kFunctionCount>;

#define COTANGENT_ADDRESS(f) reinterpret_cast<const void*>(&COTANGENT_SYMBOL(f)),
#define COTANGENT_TABLE \
  { COTANGENT_UNARY(COTANGENT_ADDRESS) COTANGENT_BINARY(COTANGENT_ADDRESS) }
#define COTANGENT_SYMBOL(f) Sleef_finz_##f##d1_u10purecfma
constexpr auto fused1 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#define COTANGENT_SYMBOL(f) Sleef_finz_##f##d4_u10avx2
constexpr auto fused4 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#define COTANGENT_SYMBOL(f) Sleef_finz_##f##d8_u10avx512f
constexpr auto fused8 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#define COTANGENT_SYMBOL(f) Sleef_cinz_##f##d1_u10purec
constexpr auto plain1 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#define COTANGENT_SYMBOL(f) Sleef_cinz_##f##d2_u10sse2
constexpr auto plain2 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#define COTANGENT_SYMBOL(f) Sleef_cinz_##f##d4_u10avx
constexpr auto plain4 = [] { return Addresses COTANGENT_TABLE; };
#undef COTANGENT_SYMBOL
#undef COTANGENT_TABLE
#undef COTANGENT_ADDRESS

// f on one vector of the given width: x and y point to it, result receives it.
using OnVector = void (*)(const void* f, bool binary, const double* x, const double* y, double* result);

template <class V>
V call(const void* f, bool binary, V x, V y) {
  return binary ? reinterpret_cast<V (*)(V, V)>(const_cast<void*>(f))(x, y)
                : reinterpret_cast<V (*)(V)>(const_cast<void*>(f))(x);
}

void on_vector2(const void* f, bool binary, const double* x, const double* y, double* result) {
  _mm_storeu_pd(result, call(f, binary, _mm_loadu_pd(x), _mm_loadu_pd(y)));
}

__attribute__((target("avx"))) void on_vector4(const void* f, bool binary, const double* x, const double* y,
                                               double* result) {
  const __m256d u = _mm256_loadu_pd(x);
  using F1 = __m256d (*)(__m256d);
  using F2 = __m256d (*)(__m256d, __m256d);
  _mm256_storeu_pd(result, binary ? reinterpret_cast<F2>(const_cast<void*>(f))(u, _mm256_loadu_pd(y))
                                  : reinterpret_cast<F1>(const_cast<void*>(f))(u));
}

__attribute__((target("avx512f"))) void on_vector8(const void* f, bool binary, const double* x, const double* y,
                                                   double* result) {
  const __m512d u = _mm512_loadu_pd(x);
  using F1 = __m512d (*)(__m512d);
  using F2 = __m512d (*)(__m512d, __m512d);
  _mm512_storeu_pd(result, binary ? reinterpret_cast<F2>(const_cast<void*>(f))(u, _mm512_loadu_pd(y))
                                  : reinterpret_cast<F1>(const_cast<void*>(f))(u));
}

struct Library {
  bool fused;
  int width;
  Addresses scalar, vector;
  OnVector on_vector;
};

Library choose_library() {
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (fused && __builtin_cpu_supports("avx512f")) return {true, 8, fused1(), fused8(), on_vector8};
  if (fused) return {true, 4, fused1(), fused4(), on_vector4};
  if (__builtin_cpu_supports("avx")) return {false, 4, plain1(), plain4(), on_vector4};
  return {false, 2, plain1(), plain2(), on_vector2};
}

const Library& library() {
  static const Library chosen = choose_library();
  return chosen;
}

Quad apply_wide(Function f, Quad x, Quad y) {
  switch (f) {
    case Function::sin:
      return sinq(x);
    case Function::cos:
      return cosq(x);
    case Function::tan:
      return tanq(x);
    case Function::asin:
      return asinq(x);
    case Function::acos:
      return acosq(x);
    case Function::atan:
      return atanq(x);
    case Function::sinh:
      return sinhq(x);
    case Function::cosh:
      return coshq(x);
    case Function::tanh:
      return tanhq(x);
    case Function::exp:
      return expq(x);
    case Function::log:
      return logq(x);
    case Function::pow:
      return powq(x, y);
    case Function::atan2:
      return atan2q(x, y);
  }
  check_failed("f is a Function");
}

}  // namespace

std::string_view name(Function f) {
  static constexpr std::array<std::string_view, kFunctionCount> names = {
      "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "pow", "atan2"};
  return names[static_cast<std::size_t>(f)];
}

int native_width() { return library().width; }
bool has_native_fma() { return library().fused; }

const void* address(Function f, int width) {
  COTANGENT_CHECK(width == 1 || width == native_width());
  return (width == 1 ? library().scalar : library().vector)[static_cast<std::size_t>(f)];
}

template <>
double apply(Function f, const double& x, const double& y) {
  return call(library().scalar[static_cast<std::size_t>(f)], arity(f) == 2, x, y);
}

template <>
Quad apply(Function f, const Quad& x, const Quad& y) {
  return apply_wide(f, x, y);
}

template <>
Lanes apply(Function f, const Lanes& x, const Lanes& y) {
  alignas(Lanes) double buffer[3][kLanes];
  x.store(buffer[0]);
  y.store(buffer[1]);
  apply(f, buffer[0], buffer[1], buffer[2], kLanes);
  return Lanes::load(buffer[2]);
}

void apply(Function f, const double* x, const double* y, double* result, int n) {
  const Library& lib = library();
  const bool binary = arity(f) == 2;
  const void* vector = lib.vector[static_cast<std::size_t>(f)];
  const void* scalar = lib.scalar[static_cast<std::size_t>(f)];
  int i = 0;
  for (; i + lib.width <= n; i += lib.width) lib.on_vector(vector, binary, x + i, binary ? y + i : x + i, result + i);
  for (; i < n; ++i) result[i] = call(scalar, binary, x[i], binary ? y[i] : x[i]);
}

}  // namespace cotangent
