#pragma once

#include "cotangent/kernel/llvm_access.hpp"

namespace cotangent {

/// Writes the passes of a plan that is made of parts (see KernelPlan::Part).
///
/// What a pass leaves is stored beside what it found, and the two change their places from pass to pass. So a pass that
/// does not count has changed nothing. Such code is long: most of its values live in memory whatever LLVM does.
void emit_ways(LlvmAccess& access);

}  // namespace cotangent
