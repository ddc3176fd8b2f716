#pragma once

#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {

SchemeFamily new_shake();

}  // namespace cotangent
