#pragma once

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/integrator/method_name.hpp"

namespace cotangent {

/// For methods that put projections around the steps of another one: refuses those that have no use for that, with what
/// to use instead.
/// @param name of the whole, `method` the one in parentheses.
/// @throws std::invalid_argument
void expect_to_be_projected(const MethodName& name, const MethodFacts& method);

}  // namespace cotangent
