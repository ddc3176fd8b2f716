#pragma once

#include <algorithm>

#include "cotangent/elements/elements.hpp"

namespace cotangent {

/// Whether the time enters something: H, a constraint, a force or a rate.
inline bool is_driven(const Elements& elements) {
  const auto uses_time = [](const std::vector<Family>& families) {
    return std::any_of(families.begin(), families.end(), [](const Family& f) { return f.uses(Space::t); });
  };
  return !elements.is_autonomous() || uses_time(elements.forces) || uses_time(elements.dissipation) ||
         uses_time(elements.rates);
}

}  // namespace cotangent
