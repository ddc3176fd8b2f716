#pragma once

#include <vector>

#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// The group families that the given families use, directly or through other groups; in their order.
std::vector<const Family*> needed_groups(const Elements& elements, const std::vector<Family>& families);

}  // namespace cotangent
