#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotangent {

/// Numbers as a text, and back, to the bit: rows for a checkpoint.
std::string rows_text(std::span<const double> numbers);
std::vector<double> rows_of_text(std::string_view text);

}  // namespace cotangent
