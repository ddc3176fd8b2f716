#include "cotangent/kernel/functions.hpp"

#include <immintrin.h>
#include <quadmath.h>

#include <array>
#include <cmath>
#include <cstring>

#include "cotangent/base/check.hpp"
#include "cotangent/base/traced.hpp"

// Declared here because sleef.h shows a vector function only to code compiled for its instruction set, and we choose at
// run time. SLEEF computes finz_ functions with fused multiply-adds; every width gives the same bits.
// With the error that SLEEF promises, in tenths of an ulp.
#define COTANGENT_UNARY(X) \
  X(sin, 10)               \
  X(cos, 10)               \
  X(tan, 10)               \
  X(asin, 10) X(acos, 10) X(atan, 10) X(sinh, 10) X(cosh, 10) X(tanh, 10) X(exp, 10) X(log, 10) X(erf, 10) X(erfc, 15)
#define COTANGENT_BINARY(X) X(pow, 10) X(atan2, 10)

extern "C" {
#define COTANGENT_SLEEF(f, u)                       \
  double Sleef_finz_##f##d1_u##u##purecfma(double); \
  __m256d Sleef_finz_##f##d4_u##u##avx2(__m256d);   \
  __m512d Sleef_finz_##f##d8_u##u##avx512f(__m512d);
COTANGENT_UNARY(COTANGENT_SLEEF)
#undef COTANGENT_SLEEF
#define COTANGENT_SLEEF(f, u)                               \
  double Sleef_finz_##f##d1_u##u##purecfma(double, double); \
  __m256d Sleef_finz_##f##d4_u##u##avx2(__m256d, __m256d);  \
  __m512d Sleef_finz_##f##d8_u##u##avx512f(__m512d, __m512d);
COTANGENT_BINARY(COTANGENT_SLEEF)
#undef COTANGENT_SLEEF
}

namespace cotangent {
namespace {

struct Entry {
  std::string_view name;
  const void *scalar, *vector4, *vector8;
  Quad (*wide)(Quad x, Quad y);
};

const Entry& entry(Function f) {
#define COTANGENT_ADDRESS(f) reinterpret_cast<const void*>(&f)
#define COTANGENT_ENTRY(f, u, WIDE)                                                                                 \
  Entry{#f, COTANGENT_ADDRESS(Sleef_finz_##f##d1_u##u##purecfma), COTANGENT_ADDRESS(Sleef_finz_##f##d4_u##u##avx2), \
        COTANGENT_ADDRESS(Sleef_finz_##f##d8_u##u##avx512f), [](Quad x, [[maybe_unused]] Quad y) { return WIDE; }},
#define COTANGENT_OF_ONE(f, u) COTANGENT_ENTRY(f, u, f##q(x))
#define COTANGENT_OF_TWO(f, u) COTANGENT_ENTRY(f, u, f##q(x, y))
  static const std::array entries{COTANGENT_UNARY(COTANGENT_OF_ONE) COTANGENT_BINARY(COTANGENT_OF_TWO)};
#undef COTANGENT_OF_TWO
#undef COTANGENT_OF_ONE
#undef COTANGENT_ENTRY
#undef COTANGENT_ADDRESS
  return entries[static_cast<std::size_t>(f)];
}

// f on one vector: x and y point to it, result receives it.
template <class V>
[[gnu::always_inline]] inline void call(const void* f, bool binary, const double* x, const double* y, double* result) {
  V u, v;
  std::memcpy(&u, x, sizeof(V));
  std::memcpy(&v, y, sizeof(V));
  const V value = binary ? reinterpret_cast<V (*)(V, V)>(const_cast<void*>(f))(u, v)
                         : reinterpret_cast<V (*)(V)>(const_cast<void*>(f))(u);
  std::memcpy(result, &value, sizeof(V));
}

using Call = void (*)(const void* f, bool binary, const double* x, const double* y, double* result);

void call4(const void* f, bool binary, const double* x, const double* y, double* result) {
  call<__m256d>(f, binary, x, y, result);
}

__attribute__((target("avx512f"))) void call8(const void* f, bool binary, const double* x, const double* y,
                                              double* result) {
  call<__m512d>(f, binary, x, y, result);
}

}  // namespace

std::string_view name(Function f) { return entry(f).name; }

int native_width() {
  static const int width = __builtin_cpu_supports("avx512f") ? 8 : 4;
  return width;
}

const void* address(Function f, int width) {
  COTANGENT_CHECK(width == 1 || width == native_width());
  return width == 1 ? entry(f).scalar : width == 4 ? entry(f).vector4 : entry(f).vector8;
}

template <>
double apply(Function f, const double& x, const double& y) {
  double result;
  apply(f, &x, &y, &result, 1);
  return result;
}

template <>
Quad apply(Function f, const Quad& x, const Quad& y) {
  return entry(f).wide(x, y);
}

template <>
Traced apply(Function f, const Traced& x, const Traced& y) {
  const double value = apply(f, x.value, y.value);
  if ((x.id | y.id) == 0) return value;
  const auto index = static_cast<std::uint32_t>(f);
  return {value, arity(f) == 2 ? Recording::record(Recording::Op::call, x, y, index)
                               : Recording::record(Recording::Op::call, x, index)};
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
  const int width = native_width();
  const Call vector = width == 4 ? call4 : call8;
  const void* code = address(f, width);
  const bool binary = arity(f) == 2;
  int i = 0;
  for (; i + width <= n; i += width) vector(code, binary, x + i, y + i, result + i);
  for (; i < n; ++i) call<double>(entry(f).scalar, binary, x + i, y + i, result + i);
}

}  // namespace cotangent
