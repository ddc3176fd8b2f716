#pragma once

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// The derivative of the operation at the top of e with respect to its k-th argument. Invalid (valid() is false)
/// where it is identically zero: a sign, a rounding error, both sides of a comparison.
/// @pre e is not a leaf, an entry, a sum or a choice (select, min, max), whose derivative is a choice of derivatives.
Expr partial(Expr e, int k);

}  // namespace cotangent
