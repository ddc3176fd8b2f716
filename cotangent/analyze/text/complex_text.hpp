#pragma once

#include <string>
#include <vector>

#include "cotangent/analyze/dense/matrix.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

/// "2", "1.5i", "-0.1+2i": parts that are rounding errors beside `size` are left out.
std::string to_text(const Complex& x, double size);

/// "+-2, +-1.5i, 0 (twice)": numbers that are equal up to rounding, and pairs of opposite ones, are said together.
std::string to_text(const std::vector<Complex>& values);

/// A list of pairs [real, imaginary].
Json to_json(const std::vector<Complex>& values);

}  // namespace cotangent
