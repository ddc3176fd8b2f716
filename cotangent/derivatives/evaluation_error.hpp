#pragma once

#include <functional>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// What an argument of a function is, and what is known of its rounding error.
struct ArgumentError {
  bool varies = false;  ///< with the point; numbers that do not are constants
  Expr error = {};      ///< in units of epsilon; none if not valid
};

/// Running error analysis [higham02, 3.3], as graph -> graph: in units of epsilon, the rounding errors that are made
/// inside f and that sum_j |df/dx_j x_j|, the errors of its arguments x_j, does not cover. Products, powers and sums of
/// arguments make none that are larger than those. What is left begins at constants and at functions:
///
///   e(c + x) = |c| + e(x)               1 - cos a, (y - R)^2 with a small y and a large R
///   e(f(x)) = |f(x)| + |f'(x)| e(x)     f = sin, exp, ...
///   e(x y) = |y| e(x) + |x| e(y)
///
/// It is zero, a constant, for most functions. Constants that are added at the top of f, as in x^2 + y^2 - 1, do not
/// count: where f is compared with zero the other terms are as large as they are, and otherwise |f| is.
/// @param is_part f is a term of something that is an argument in its turn: then they do.
Expr evaluation_error(Expr f, bool is_part, const std::function<ArgumentError(Expr symbol)>& argument);

}  // namespace cotangent
