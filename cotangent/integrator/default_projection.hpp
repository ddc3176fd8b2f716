#pragma once

#include <cstdint>

#include "cotangent/integrator/integrator.hpp"
#include "cotangent/projection/projection_policy.hpp"

namespace cotangent {

/// What suits a method: none where it keeps the constraints by itself (or there are none), else both.
Projection default_projection(const MethodFacts& facts, std::int64_t constraints);

}  // namespace cotangent
