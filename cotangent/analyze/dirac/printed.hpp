#pragma once

#include <string>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// Whether an expression is short enough to be read. What it shares is printed again and again: its text may be far
/// longer than its graph.
bool is_readable(Expr e);

/// Its text, or "(too long to print)".
std::string printed(Expr e);

}  // namespace cotangent
