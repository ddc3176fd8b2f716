#pragma once

#include <string>
#include <utility>

#include "cotangent/analyze/written_out/written_out.hpp"

namespace cotangent {

/// Two functions on phase space, "x, p_x", in the symbols of a model that is written out. @throws ModelError
std::pair<Expr, Expr> read_bracket(WrittenOut& written, const std::string& text);

}  // namespace cotangent
