#include "cotangent/expr/arithmetic.hpp"

#include <quadmath.h>

#include <cmath>

#include "cotangent/base/check.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// The mathematical library of T, under one set of names.
template <class T>
struct Library {
  static T sin(T x) { return std::sin(x); }
  static T cos(T x) { return std::cos(x); }
  static T tan(T x) { return std::tan(x); }
  static T asin(T x) { return std::asin(x); }
  static T acos(T x) { return std::acos(x); }
  static T atan(T x) { return std::atan(x); }
  static T sinh(T x) { return std::sinh(x); }
  static T cosh(T x) { return std::cosh(x); }
  static T tanh(T x) { return std::tanh(x); }
  static T exp(T x) { return std::exp(x); }
  static T log(T x) { return std::log(x); }
  static T sqrt(T x) { return std::sqrt(x); }
  static T pow(T x, T y) { return std::pow(x, y); }
  static T atan2(T y, T x) { return std::atan2(y, x); }
};

template <>
struct Library<Quad> {
  static Quad sin(Quad x) { return sinq(x); }
  static Quad cos(Quad x) { return cosq(x); }
  static Quad tan(Quad x) { return tanq(x); }
  static Quad asin(Quad x) { return asinq(x); }
  static Quad acos(Quad x) { return acosq(x); }
  static Quad atan(Quad x) { return atanq(x); }
  static Quad sinh(Quad x) { return sinhq(x); }
  static Quad cosh(Quad x) { return coshq(x); }
  static Quad tanh(Quad x) { return tanhq(x); }
  static Quad exp(Quad x) { return expq(x); }
  static Quad log(Quad x) { return logq(x); }
  static Quad sqrt(Quad x) { return sqrtq(x); }
  static Quad pow(Quad x, Quad y) { return powq(x, y); }
  static Quad atan2(Quad y, Quad x) { return atan2q(y, x); }
};

}  // namespace

template <class T>
T apply_scalar(Op op, T a, T b, T c) {
  using L = Library<T>;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return L::pow(a, b);
    case Op::sin:
      return L::sin(a);
    case Op::cos:
      return L::cos(a);
    case Op::tan:
      return L::tan(a);
    case Op::asin:
      return L::asin(a);
    case Op::acos:
      return L::acos(a);
    case Op::atan:
      return L::atan(a);
    case Op::sinh:
      return L::sinh(a);
    case Op::cosh:
      return L::cosh(a);
    case Op::tanh:
      return L::tanh(a);
    case Op::exp:
      return L::exp(a);
    case Op::log:
      return L::log(a);
    case Op::sqrt:
      return L::sqrt(a);
    case Op::abs:
      return a < 0 ? -a : a;
    case Op::sign:
      return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
    case Op::atan2:
      return L::atan2(a, b);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::sum_error: {
      const volatile T sum = a + b;
      return b - (sum - a);
    }
    case Op::lt:
      return a < b ? T(1) : T(0);
    case Op::le:
      return a <= b ? T(1) : T(0);
    case Op::eq:
      return a == b ? T(1) : T(0);
    case Op::ne:
      return a != b ? T(1) : T(0);
    case Op::select:
      return a != 0 ? b : c;
    case Op::constant:
    case Op::symbol:
    case Op::entry:
    case Op::sum:
      break;
  }
  check_failed("op is an operation on numbers");
}

#define COTANGENT_FUNCTIONS(T) template T apply_scalar(Op, T, T, T);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
