#pragma once

#include <vector>

#include "tests/support/problems.hpp"

namespace cotangent::test {

/// Ordinary differential equations with invariants, nonlinear all of them. The laws of methods for vector fields are
/// tested on each. Their invariants are in the texts: those whose names begin with `linear` or `quadratic` are such.
const std::vector<Problem>& equations();

}  // namespace cotangent::test
