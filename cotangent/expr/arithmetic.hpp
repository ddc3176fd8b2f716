#pragma once

#include "cotangent/base/scalar.hpp"
#include "cotangent/expr/op.hpp"

namespace cotangent {

/// The value of one operation with the standard library's functions, for T = double, Quad:
/// what constant folding and the reference evaluator use. Unused arguments are ignored.
/// @pre op is not a leaf, an entry or a sum.
template <class T>
T apply_scalar(Op op, T a, T b = 0, T c = 0);

}  // namespace cotangent
