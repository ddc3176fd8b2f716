#pragma once

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// The derivative of the operation at the top of e with respect to its k-th argument. Invalid (valid() is false)
/// where it is identically zero: a sign, a rounding error, both sides of a comparison.
/// @pre e is not a leaf, an entry, a sum or a choice (select, min, max), whose derivative is a choice of derivatives.
///
/// The root of a sum of squares, which has a kink at zero as abs has, counts as flat there: 0.5/(e + [e = 0]) is finite
/// and multiplies a derivative that vanishes. Its second derivatives at zero are those of half the sum.
Expr partial(Expr e, int k);

/// Whether e is a sum of even powers with positive coefficients, as x^2 + 2 (y - 1)^4 is.
bool is_sum_of_squares(Expr e);

}  // namespace cotangent
