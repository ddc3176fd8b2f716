#pragma once

#include <string>

#include "cotangent/simulation/certificate.hpp"

namespace cotangent {

/// A certificate as a table: for each structure the verdict, the figure and the rounding level, then what was claimed
/// and seen.
std::string certificate_table(const Certificate& certificate);

}  // namespace cotangent
