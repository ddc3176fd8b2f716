#pragma once

#include <string>
#include <vector>

#include "benchmarks/peers/measure.hpp"

namespace cotangent::peers {

/// Work against error as SVG, both logarithmic: a line for each method through its settings. Lines of the program are
/// bold.
std::string plot(const std::string& title, const std::vector<Measured>& measured);

}  // namespace cotangent::peers
