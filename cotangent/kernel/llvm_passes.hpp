#pragma once

#include "cotangent/kernel/llvm_access.hpp"

namespace cotangent {

/// The passes of a repeated kernel (see KernelSpec::Repeat), for the lanes of `access` that go together.
///
/// A pass that does not count must change nothing, but that is known only at its end. Keeping the state of the pass
/// before would take twice the registers; instead it is kept in memory every kRound passes, and after a failure the
/// passes since then that do count are made again.
void emit_passes(LlvmAccess& access);

}  // namespace cotangent
