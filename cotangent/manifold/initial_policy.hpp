#pragma once

#include <cstdint>

namespace cotangent {

/// What happens to initial data that do not lie on the constraint manifold.
enum class InitialPolicy : std::uint8_t {
  project,   ///< q goes to the nearest point of g(q, 0) = 0, then p to G H_p + g_t = 0, both in the mass metric
  as_given,  ///< nothing: the data are used as they are
};

}  // namespace cotangent
