#include "cotangent/expr/arithmetic.hpp"

#include <quadmath.h>

#include <array>
#include <cmath>

#include "cotangent/base/check.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

// The mathematical library of T: sin, cos, ..., sqrt, in the order of Op.
template <class T>
constexpr std::array<T (*)(T), 14> functions{std::sin,  std::cos,  std::tan,  std::asin, std::acos,
                                             std::atan, std::sinh, std::cosh, std::tanh, std::exp,
                                             std::log,  std::erf,  std::erfc, std::sqrt};
template <>
constexpr std::array<Quad (*)(Quad), 14> functions<Quad>{sinq,  cosq,  tanq, asinq, acosq, atanq, sinhq,
                                                         coshq, tanhq, expq, logq,  erfq,  erfcq, sqrtq};

double power(double x, double y) { return std::pow(x, y); }
Quad power(Quad x, Quad y) { return powq(x, y); }
double angle(double y, double x) { return std::atan2(y, x); }
Quad angle(Quad y, Quad x) { return atan2q(y, x); }

double whole_below(double x) { return std::floor(x); }
Quad whole_below(Quad x) { return floorq(x); }
double nearest_whole(double x) { return std::round(x); }
Quad nearest_whole(Quad x) { return roundq(x); }

}  // namespace

template <class T>
T apply_scalar(Op op, T a, T b, T c) {
  if (op >= Op::sin && op <= Op::sqrt)
    return functions<T>[static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::sin)](a);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return power(a, b);
    case Op::abs:
      return a < 0 ? -a : a;
    case Op::sign:
      return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
    case Op::floor:
      return whole_below(a);
    case Op::ceil:
      return -whole_below(-a);
    case Op::round:
      return nearest_whole(a);
    case Op::atan2:
      return angle(a, b);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::mod:
      return a - b * whole_below(a / b);
    case Op::sum_error: {
      const volatile T sum = a + b;
      return b - (sum - a);
    }
    case Op::rounded:
      return a;
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
    default:
      check_failed("op is an operation on numbers");
  }
}

#define COTANGENT_FUNCTIONS(T) template T apply_scalar(Op, T, T, T);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
