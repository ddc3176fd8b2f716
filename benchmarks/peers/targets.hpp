#pragma once

#include <vector>

#include "benchmarks/peers/report.hpp"

namespace cotangent::peers {

/// Measures how fast methods of the program are against the same ones by hand or of odeint, with the same steps, and
/// against each other.
std::vector<Target> measure_targets();

}  // namespace cotangent::peers
