#pragma once

#include "cotangent/integrator/method_name.hpp"

namespace cotangent {

/// Other names that methods go by: `verlet` is stormer-verlet:kick, `radau5` is radau-iia:3. Methods in parentheses are
/// renamed too; a name that is none of these stays what it is.
/// @throws std::invalid_argument for names of methods that there are not, or that may be two: what to use instead.
MethodName without_alias(const MethodName& name);

}  // namespace cotangent
