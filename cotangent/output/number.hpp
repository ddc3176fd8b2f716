#pragma once

#include <string>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// Appends the shortest decimal that reads back as the same number of its precision, with an exponent only where many
/// zeros would be needed; "nan", "inf" and "-inf" for what is not finite.
void append_number(std::string& text, double x);
void append_number(std::string& text, Quad x);

}  // namespace cotangent
