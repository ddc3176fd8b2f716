#pragma once

namespace cotangent {

using Quad = __float128;  ///< 113-bit significand

}  // namespace cotangent
